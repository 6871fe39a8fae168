# SPDX-License-Identifier: Apache-2.0
# cmake -DDIR=db -DOUT=file.c -P embed.cmake: migrations/NNNN_*.sql and queries/*.sql as C tables. As bytes: ISO C
# promises string literals of no more than 4095 characters. In the views, @energy.csv@ is replaced by the rows of that file,
# ('text', 'text', number, ...), without the last column, which is a comment.
set(text "#include \"db/migrate.h\"\n")
set(rows)
file(GLOB files ${DIR}/migrations/*.sql)
foreach(f ${files})
  get_filename_component(name ${f} NAME_WE)
  file(READ ${f} hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," hex "${hex}")
  string(APPEND text "static const char m_${name}[] = {${hex}0};\n")
  string(APPEND rows "    {\"${name}\", m_${name}},\n")
endforeach()
string(APPEND text "const struct mp_db_migration mp_db_migrations[] = {\n${rows}};\n"
  "const unsigned mp_db_nmigrations = sizeof mp_db_migrations / sizeof *mp_db_migrations;\n")
# A file whose views are of another version of views.sql has another hash in the view views_version.
file(READ ${DIR}/views.sql views)
file(STRINGS ${DIR}/energy.csv lines REGEX "^[a-z_]+,[a-z]+,[0-9]")
list(TRANSFORM lines REPLACE "^([^,]*),([^,]*),(([^,]*,)+).*$" "('\\1', '\\2', \\3)")
list(TRANSFORM lines REPLACE ",[)]$" ")")
list(JOIN lines ",\n    " lines)
string(REPLACE "@energy.csv@" "${lines}" views "${views}")
string(SHA256 hash "${views}")
string(HEX "${views}" hex)
string(REGEX REPLACE "(..)" "0x\\1," hex "${hex}")
file(STRINGS ${DIR}/views.sql names REGEX "^CREATE VIEW ")
list(TRANSFORM names REPLACE "^CREATE VIEW ([a-z0-9_]+) .*$" "    \"DROP VIEW IF EXISTS \\1\\\\;\"\n")
list(JOIN names "" names)
string(APPEND text "const char mp_db_views[] = {${hex}0};\n"
  "const char mp_db_mark_views[] = \"CREATE VIEW views_version AS SELECT '${hash}' AS hash\";\n"
  "const char mp_db_has_views[] =\n    \"SELECT count(*) FROM sqlite_schema WHERE name = 'views_version' AND instr(sql, '${hash}')\";\n"
  "const char mp_db_drop_views[] =\n${names}    \"DROP VIEW IF EXISTS views_version;\";\n")
set(rows)
file(GLOB files ${DIR}/queries/*.sql)
foreach(f ${files})
  get_filename_component(name ${f} NAME_WE)
  file(STRINGS ${f} head LIMIT_COUNT 2)
  list(GET head 1 description)
  string(REGEX REPLACE "^-- *" "" description "${description}")
  file(READ ${f} sql)
  string(REGEX MATCHALL ":[a-z_]+" parameters "${sql}")
  list(REMOVE_DUPLICATES parameters)
  list(JOIN parameters " " parameters)
  string(HEX "${sql}" hex)
  string(REGEX REPLACE "(..)" "0x\\1," hex "${hex}")
  string(APPEND text "static const char q_${name}[] = {${hex}0};\n")
  string(APPEND rows "    {\"${name}\", \"${description}\", \"${parameters}\", q_${name}},\n")
endforeach()
string(APPEND text "const struct mp_db_query mp_db_queries[] = {\n${rows}};\n"
  "const unsigned mp_db_nqueries = sizeof mp_db_queries / sizeof *mp_db_queries;\n")
file(WRITE ${OUT} "${text}")
