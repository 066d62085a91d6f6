/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Hands the text to the helper. See hwloc_trial.h.
 */
#include "network/formats/hwloc/hwloc_trial.h"

#include "base/helper.h"

#include <unistd.h>

bool hwloc_trial(const char *text, int length)
{
    char path[HELPER_PATH];
    char *arguments[] = {(char[]){"collc-hwloc"}, NULL};
    enum helper_end end = HELPER_NOT_STARTED;
    FILE *file = helper_find(arguments[0], path) ? tmpfile() : NULL;
    if (!file)
        return true;
    if (fwrite(text, 1, (size_t)length, file) == (size_t)length && fflush(file) == 0 &&
        lseek(fileno(file), 0, SEEK_SET) == 0)
        end = helper_run(path, arguments, file, NULL, 0);
    fclose(file);
    return end != HELPER_BADLY;
}
