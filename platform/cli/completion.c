/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli/manual.h"
#include "config/config.h"

/* The name of a command after "mempath ". */
static const char *name_of(const struct cli_usage *usage)
{
    return strchr(usage->command, ' ') + 1;
}

static bool has_letter(const struct argp_option *o)
{
    return o->key > ' ' && o->key < 0x7f;
}

/* ---- the options and first arguments of each command ---- */

static void option_words(const struct argp_option *options)
{
    for (const struct argp_option *o = options; o && (o->name || o->doc); o++)
        if (o->name)
            printf("--%s ", o->name);
        else if (has_letter(o))
            printf("-%c ", o->key);
}

static void words_of_command(struct cli *cli, const struct cli_usage *usage)
{
    struct argp_option own[CLI_OPTIONS];
    cli_own_options(cli, usage, own);
    printf("    '%s')\n        options='", name_of(usage));
    option_words(own);
    if (!usage->foreign)
        option_words(cli_global_options);
    fputs("'\n        words='", stdout);
    for (unsigned i = 0; usage->word && usage->word(i); i++)
        printf("%s ", usage->word(i));
    puts("' ;;");
    manual_each_block(cli, usage);
}

/* ---- what the options' values may be ---- */

/* small|medium|paper, or a single such word. */
static bool is_choice(const char *arg)
{
    for (; *arg; arg++)
        if (!islower((unsigned char)*arg) && !isdigit((unsigned char)*arg) && !strchr("|+*-", *arg))
            return false;
    return true;
}

static void print_value(const char *arg)
{
    if (!strncmp(arg, "PATH=VALUE", strlen("PATH=VALUE"))) {
        fputs("PARAMETER", stdout);
    } else if (strstr(arg, "FOLDER") || strstr(arg, "DIR")) {
        fputs("FOLDER", stdout);
    } else if (is_choice(arg)) {
        for (; *arg; arg++)
            putchar(*arg == '|' ? ' ' : *arg);
    } else {
        fputs(strstr(arg, "FILE") || strstr(arg, ".elf") ? "FILE" : "OTHER", stdout);
    }
}

static void option_values(const char *command, const struct argp_option *options)
{
    for (const struct argp_option *o = options; o && (o->name || o->doc); o++) {
        if (!o->arg)
            continue;
        fputs("    ", stdout);
        if (o->name)
            printf("'%s --%s'", command, o->name);
        if (has_letter(o))
            printf("%s'%s -%c'", o->name ? " | " : "", command, o->key);
        fputs(") value='", stdout);
        print_value(o->arg);
        puts("' ;;");
    }
}

static void values_of_command(struct cli *cli, const struct cli_usage *usage)
{
    struct argp_option own[CLI_OPTIONS];
    cli_own_options(cli, usage, own);
    option_values(name_of(usage), own);
    if (!usage->foreign)
        option_values(name_of(usage), cli_global_options);
    manual_each_block(cli, usage);
}

/* ---- the script ---- */

static const char functions[] = "_mempath()\n"
                                "{\n"
                                "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
                                "    local command='' options='' words='' value='' i word\n"
                                "    # Bash takes --option=value as three words.\n"
                                "    if [ \"$cur\" = = ]; then\n"
                                "        cur=''\n"
                                "    elif [ \"$prev\" = = ]; then\n"
                                "        prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
                                "    fi\n"
                                "    # A word that is neither a command nor a block is an argument.\n"
                                "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
                                "        word=${command:+$command }${COMP_WORDS[i]}\n"
                                "        _mempath_words \"$word\" && command=$word\n"
                                "    done\n"
                                "    _mempath_words \"$command\"\n"
                                "    _mempath_value \"$command $prev\"\n"
                                "    case $value in\n"
                                "    '')\n"
                                "        case $cur in -*) words=$options ;; esac\n"
                                "        ;;\n"
                                "    FILE | OTHER) return ;; # Bash completes the name of a file\n"
                                "    FOLDER)\n"
                                "        mapfile -t COMPREPLY < <(compgen -d -- \"$cur\")\n"
                                "        return\n"
                                "        ;;\n"
                                "    PARAMETER)\n"
                                "        words=$_mempath_parameters\n"
                                "        compopt -o nospace 2>/dev/null\n"
                                "        ;;\n"
                                "    *) words=$value ;;\n"
                                "    esac\n"
                                "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
                                "}\n"
                                "\n"
                                "complete -o default -F _mempath mempath";

void manual_completion(struct cli *cli)
{
    puts(
        "# Completion of mempath for bash; generated by mempath help --bash. Each function takes a command.\n"
        "# shellcheck shell=bash disable=SC2034\n"
        "\n"
        "_mempath_words() # sets options and words; fails if there is no such command\n"
        "{\n"
        "    case $1 in");
    fputs("    '')\n        options='", stdout);
    option_words(cli_global_options);
    fputs("'\n        words='", stdout);
    for (const struct cli_command *c = cli_commands; c->name; c++)
        printf("%s ", c->name);
    puts("' ;;");
    manual_each(cli, words_of_command);
    puts("    *) return 1 ;;\n"
         "    esac\n"
         "}\n"
         "\n"
         "_mempath_value() # with an option: sets value to what its value may be; '': it has none\n"
         "{\n"
         "    case $1 in");
    option_values("", cli_global_options);
    manual_each(cli, values_of_command);
    fputs("    esac\n"
          "}\n"
          "\n"
          "_mempath_parameters='",
          stdout);
    for (unsigned i = 0; i < mp_nparams(); i++)
        printf("%s= ", mp_param(i)->path);
    puts("'\n");
    puts(functions);
}
