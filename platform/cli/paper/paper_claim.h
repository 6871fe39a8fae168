/* SPDX-License-Identifier: Apache-2.0 */
/* How the files with a paper's data write its claims (paper.h). */
#ifndef MP_CLI_PAPER_CLAIM_H
#define MP_CLI_PAPER_CLAIM_H

#include "cli/paper/paper.h"

#define LESS(figure, series, x, than, text)                                                                  \
    {                                                                                                        \
        figure, series, x, CLAIM_LESS, NULL, NULL, than, text                                                \
    }
#define MORE(figure, series, x, than, text)                                                                  \
    {                                                                                                        \
        figure, series, x, CLAIM_MORE, NULL, NULL, than, text                                                \
    }
#define LESS_THAN(figure, series, x, series_2, x_2, text)                                                    \
    {                                                                                                        \
        figure, series, x, CLAIM_LESS, series_2, x_2, 0, text                                                \
    }
#define MORE_THAN(figure, series, x, series_2, x_2, text)                                                    \
    {                                                                                                        \
        figure, series, x, CLAIM_MORE, series_2, x_2, 0, text                                                \
    }

#endif
