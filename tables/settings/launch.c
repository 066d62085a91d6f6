/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the options of launchers. Programs that a ':' parts have options of their own. What stands behind a
 * program is handed to that, unless it starts another one.
 */
#include "tables/settings/reader.h"

static const char *const environment_options[] = {"-x", "-genv", "-env", "--env", "-e",
                                                  "-E", "--genv", "--x", NULL};
static const char *const mca_options[] = {"--mca", "-mca", "--omca", "-omca", NULL};
static const char *const gmca_options[] = {"--gmca", "-gmca", "--gomca", "-gomca", NULL};
/* Options that Open MPI 4.1 takes behind a program as well: seen there. */
static const char *const taken_behind[] = {"--mca", "-mca", "--gmca", "-gmca", NULL};
static const char *const other_pairs[] = {"--prtemca", "--pmixmca", "-prtemca", "-pmixmca", NULL};
/* Options without a value; those before another option need no line here. */
static const char *const flags[] = {"--oversubscribe",
                                    "-oversubscribe",
                                    "--nooversubscribe",
                                    "--allow-run-as-root",
                                    "--report-bindings",
                                    "-report-bindings",
                                    "--display-map",
                                    "-display-map",
                                    "--display-allocation",
                                    "--bind-to-none",
                                    "-bind-to-none",
                                    "--bind-to-core",
                                    "-bind-to-core",
                                    "--bycore",
                                    "--bynode",
                                    "-bynode",
                                    "--byslot",
                                    "-byslot",
                                    "--quiet",
                                    "-q",
                                    "--verbose",
                                    "-v",
                                    "--tag-output",
                                    "-tag-output",
                                    "--timestamp-output",
                                    "--use-hwthread-cpus",
                                    "--use-hwthreads",
                                    "--nolocal",
                                    "-nolocal",
                                    "--enable-recovery",
                                    "--leave-session-attached",
                                    "--merge-stderr-to-stdout",
                                    "--do-not-launch",
                                    "-l",
                                    "-genvall",
                                    "-genvnone",
                                    "-envall",
                                    "-envnone",
                                    "-prepend-rank",
                                    "--exclusive",
                                    "--overlap",
                                    "--label",
                                    "--unbuffered",
                                    "-u",
                                    "--pty",
                                    "--no-kill",
                                    "--contiguous",
                                    "--spread-job",
                                    "--preserve-env",
                                    "--dry-run",
                                    "-ss",
                                    NULL};
/* Programs that start another one, by variables or options of their own that count. */
static const char *const wrappers[] = {"singularity", "apptainer", "docker", "podman", "shifter",
                                       "sarus",       "enroot",    "bash",   "sh",     NULL};
/* The same where the other one is the next word that is no option. */
static const char *const starters[] = {"env",  "srun",          "mpirun", "mpiexec", "numactl",
                                       "time", "tacc_affinity", "nice",   NULL};
/* Words between flux and its options. */
static const char *const flux_words[] = {"mini", "run", "submit", "alloc", "batch", "bulksubmit", NULL};

/* Returns what stands behind the last '/'. */
static struct slice base_name(struct slice word)
{
    for (size_t i = word.length; i-- > 1;)
        if (word.text[i] == '/' && i + 1 < word.length && !slice_starts(word, "./"))
            return (struct slice){word.text + i + 1, word.length - i - 1};
    return word;
}

bool settings_is_launcher(struct slice word)
{
    static const char *const begins[] = {"mpirun", "mpiexec", "orterun", "prterun", "prun", "srun",
                                         "sbatch", "aprun",   "jsrun",   "ibrun",   "flux", "torchrun",
                                         "qsub",   "lrun",    "mpprun",  "./",      NULL};
    word = base_name(word);
    for (size_t i = 0; begins[i]; i++)
        if (slice_starts(word, begins[i]))
            return true;
    return word.length > 1 && *word.text == '$';
}

bool settings_is_surely_launcher(struct slice word)
{
    static const char *const parts[] = {"MPI", "mpi", "RUN", "run", "EXEC", "exec", "LAUNCH", "launch"};
    word = base_name(word);
    bool is_named = word.length > 1 && *word.text != '$' && *word.text != '.';
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (size_t at = 0; at + strlen(parts[i]) <= word.length; at++)
            is_named |= memcmp(word.text + at, parts[i], strlen(parts[i])) == 0 && *word.text == '$';
    return is_named && settings_is_launcher(word);
}

/* True for an option of a letter and a number, "-n4". */
static bool has_number(struct slice option)
{
    size_t i = 2;
    while (i < option.length && option.text[i] >= '0' && option.text[i] <= '9')
        i++;
    return option.length > 2 && i == option.length;
}

static bool is_option(const struct word *words, size_t i, size_t n)
{
    return i < n && words[i].value.length > 1 && *words[i].value.text == '-';
}

/* True for an option with a name and a value behind it. */
static bool takes_two(const struct word *words, size_t i, size_t n)
{
    const struct slice option = words[i].value;
    const bool is_environment = slice_is(option, "-genv") || slice_is(option, "-env");
    if (is_environment && i + 1 < n)
        return !memchr(words[i + 1].value.text, '=', words[i + 1].value.length);
    return settings_is_one_of(option, mca_options) || settings_is_one_of(option, gmca_options) ||
           settings_is_one_of(option, other_pairs);
}

/* Returns the place of the program among the words of a launcher from `first` on; n if it is not known, or
 * starts another one. */
static size_t program_among(const struct word *words, size_t first, size_t n)
{
    while (first < n) {
        const struct slice word = words[first].value;
        if (is_option(words, first, n)) {
            const bool is_alone = memchr(word.text, '=', word.length) || settings_is_one_of(word, flags) ||
                                  has_number(word) || is_option(words, first + 1, n);
            first += takes_two(words, first, n) ? 3 : is_alone ? 1 : 2;
        } else if (!word.length || *word.text == '$' || memchr(word.text, '=', word.length) ||
                   settings_is_one_of(base_name(word), starters)) {
            first++;
        } else {
            return settings_is_one_of(base_name(word), wrappers) ? n : first;
        }
    }
    return n;
}

/* True for launchers that start the program behind their options. */
static bool starts_program(struct slice word)
{
    static const char *const names[] = {"mpirun", "mpiexec", "orterun", "prterun", "prun", "srun", "aprun",
                                        "jsrun",  "lrun",    "ibrun",   "flux",    NULL};
    const struct slice name = base_name(word);
    for (size_t i = 0; names[i]; i++)
        if (slice_starts(name, names[i]))
            return true;
    return false;
}

/* True for names of Open MPI's own launcher. */
static bool is_mpirun(struct slice word)
{
    const struct slice name = base_name(word);
    return slice_starts(name, "mpirun") || slice_starts(name, "mpiexec") || slice_starts(name, "orterun");
}

/* Returns the character between assignments of a list behind --env; '\0' if it takes one assignment. */
static char list_stop(const struct word *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (slice_is(words[i].value, "singularity") || slice_is(words[i].value, "apptainer") ||
            slice_is(words[i].value, "#BSUB") || slice_is(words[i].value, "bsub"))
            return ',';
    return '\0';
}

/* Adds what stands behind an option that sets a variable. Returns the place of its last word. */
static size_t add_variable(struct reader *reader, const struct word *words, size_t i, size_t n, char stop)
{
    if (stop)
        settings_add_list(reader, words[i + 1], 0, stop);
    else if (!settings_add_assignment(reader, &words[i + 1], SETTING_OPTION) && takes_two(words, i, n) &&
             i + 2 < n)
        settings_add(reader, words[i + 1].value, words[i + 2], SETTING_OPTION, false), i++;
    return i + 1;
}

/* Takes NAME=VALUE behind an option that wants two words; false if the word is none. */
static bool add_joined(struct reader *reader, const struct word *word)
{
    static const struct setting_fault fault = {
        "the option takes NAME=VALUE for the name, and the next word for its value",
        "write a blank, not '=': --mca NAME VALUE"};
    const char *equals = word->value.length ? memchr(word->value.text, '=', word->value.length) : NULL;
    const size_t length = equals ? (size_t)(equals - word->value.text) : 0;
    if (!settings_is_name((struct slice){word->value.text, length}))
        return false;
    settings_add_fault(reader, (struct slice){word->value.text, length},
                       settings_word_from(word, length + 1), &fault);
    return true;
}

/* Takes the option at words[i]; returns the place of its last word. */
static size_t read_option(struct reader *reader, const struct word *words, size_t i, size_t n, char stop)
{
    const struct slice option = words[i].value;
    const struct word *next = i + 1 < n ? &words[i + 1] : NULL;
    const bool is_gmca = settings_is_one_of(option, gmca_options);
    static const char *const files[][2] = {{"--tune", "mca_base_envar_file_prefix"},
                                           {"-tune", "mca_base_envar_file_prefix"},
                                           {"--am", "mca_base_param_file_prefix"},
                                           {"-am", "mca_base_param_file_prefix"}};
    const bool is_mca = is_gmca || settings_is_one_of(option, mca_options);
    if (is_mca && next && add_joined(reader, next))
        return i + 2 < n ? i + 2 : i + 1;
    if (is_mca && i + 2 < n) {
        settings_add(reader, next->value, words[i + 2], is_gmca ? SETTING_GMCA : SETTING_MCA, false);
        return i + 2;
    }
    if (settings_is_one_of(option, environment_options) && next)
        return add_variable(reader, words, i, n, stop);
    for (size_t f = 0; f < sizeof files / sizeof *files && next; f++)
        if (slice_is(option, files[f][0])) {
            settings_add(reader, slice_of(files[f][1]), *next, SETTING_MCA, false);
            return i + 1;
        }
    if (slice_starts(option, "--export=")) {
        settings_add_list(reader, words[i], strlen("--export="), ',');
    } else if (slice_starts(option, "--env=")) {
        const struct word rest = settings_word_from(&words[i], strlen("--env="));
        (void)settings_add_assignment(reader, &rest, SETTING_OPTION);
    } else if ((slice_is(option, "--export") || slice_is(option, "-v")) && next) {
        settings_add_list(reader, *next, 0, ',');
    }
    return i;
}

void settings_read_options(struct reader *reader, const struct word *words, size_t first, size_t n)
{
    const char stop = list_stop(words, n);
    const bool has_program = first < n && starts_program(words[first].value),
               is_rsh = first < n && slice_is(base_name(words[first].value), "mpirun_rsh");
    size_t begin = first + 1;
    while (begin < n && slice_is(base_name(words[first].value), "flux") &&
           settings_is_one_of(words[begin].value, flux_words))
        begin++;
    size_t program = has_program ? program_among(words, begin, n) : n;
    bool is_env = false; /* behind env, which sets variables of the program */
    reader->launch = reader->command;
    for (size_t i = first; i < n; i++) {
        if (has_program && slice_is(words[i].value, ":")) {
            reader->command = ++reader->n_commands;
            program = program_among(words, i + 1, n);
        }
        reader->is_argument = i > program;
        reader->is_behind = reader->is_argument && is_mpirun(words[first].value) &&
                            settings_is_one_of(words[i].value, taken_behind);
        const struct slice word = words[i].value;
        const bool is_word = !is_option(words, i, n);
        is_env = i > first && i < program &&
                 (slice_is(base_name(word), "env") ||
                  (is_env && (!is_word || memchr(word.text, '=', word.length))));
        if (is_env && is_word && settings_add_assignment(reader, &words[i], SETTING_OPTION))
            continue;
        if (is_rsh && i > first && is_word)
            (void)settings_add_assignment(reader, &words[i], SETTING_OPTION);
        else
            i = read_option(reader, words, i, n, stop);
    }
    reader->is_argument = reader->is_behind = false;
}
