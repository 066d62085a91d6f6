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
/* Programs that start another one from an image. */
static const char *const containers[] = {"singularity", "apptainer", "docker", "podman", "podman-hpc", "shifter",
                                         "sarus",       "enroot",    "nerdctl", "ch-run", NULL};
/* Words behind them, and options without a value. */
static const char *const container_verbs[] = {"exec", "run", "start", "shell", "create", NULL};
static const char *const container_flags[] = {"--nv",       "--rocm",        "--rm",           "-it",
                                              "-ti",        "-i",            "-t",             "-d",
                                              "--tty",      "--interactive", "--cleanenv",     "--contain",
                                              "--writable", "--containall",  "--writable-tmpfs", "--no-home",
                                              "--fakeroot", "--privileged",  "--init",         "--mpi",
                                              "--gpu",      "--mount-home",  "--rw",           "--root",
                                              "--",         NULL};
/* Shells, whose commands stand in quotes. */
static const char *const shells[] = {"bash", "sh", "zsh", "csh", "tcsh", NULL};
/* Programs that start the next word that is no option. */
static const char *const starters[] = {"env",  "srun",          "mpirun", "mpiexec", "numactl",
                                       "time", "tacc_affinity", "nice",   "stdbuf",  NULL};
/* Programs that start a launcher: the next word that is the name of one. A launcher with options is seen
 * behind any program. */
static const char *const before_launcher[] = {
    "time",  "numactl", "taskset",  "stdbuf", "nice",  "timeout", "env",    "ssh",     "sudo",    "strace",
    "ltrace", "perf",   "nsys",     "conda",  "mamba", "pixi",    "poetry", "uv",      "setsid",  "ionice",
    "chrt",  "flock",   "unbuffer", "script", "xargs", "watch",   "salloc", "runuser", "kubectl", "tini",
    "python", "python3", "nohup",   "likwid-perfctr", "likwid-pin", "dplace", "catchsegv", "valgrind", NULL};
/* Commands that have names of launchers as words. */
static const char *const about_launchers[] = {"[",    "[[",    "test",    "which", "type",  "hash", "man",
                                              "pkill", "pgrep", "killall", "kill",  "alias", "git",  "rm",
                                              "cp",   "ls",    "ln",      "-v",    "-V",    "set",  NULL};
/* Programs without calls of a library, such as those that look after hosts before a run or behind it. */
static const char *const small_programs[] = {
    "hostname",    "date",     "echo",     "printf",   "true",       "false",     "sleep",    "ls",
    "cat",         "mkdir",    "rm",       "rmdir",    "cp",         "mv",        "ln",       "tar",
    "gzip",        "gunzip",   "unzip",    "rsync",    "scp",        "touch",     "chmod",    "chown",
    "test",        "pwd",      "whoami",   "id",       "uname",      "uptime",    "free",     "df",
    "du",          "env",      "printenv", "ulimit",   "which",      "nvidia-smi", "rocm-smi", "amd-smi",
    "lscpu",       "lstopo",   "lspci",    "lsmem",    "ibstat",     "ibstatus",  "ibv_devinfo", "ibv_devices",
    "ip",          "ifconfig", "ethtool",  "ping",     "nproc",      "dmesg",     "ps",       "kill",
    "pkill",       "killall",  "head",     "tail",     "grep",       "wc",        "sed",      "awk",
    "find",        "md5sum",   "sha256sum", "dd",      "stat",       "getent",    "dcgmi",    "ompi_info",
    "ucx_info",    "fi_info",  "sync",     "cd",       "export",     "module",    "set",      "unset",
    "source",      ".",        "wait",     "exit",     "lstopo-no-graphics",      "hwloc-ls", "sinfo",
    NULL};
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
                                         "qsub",   "lrun",    "mpprun",  "horovodrun", "deepspeed",
                                         "./",     NULL};
    word = base_name(word);
    for (size_t i = 0; begins[i]; i++)
        if (slice_starts(word, begins[i]))
            return true;
    return word.length > 1 && *word.text == '$';
}

/* True for the name of a launcher, whatever stands around it. */
static bool is_name_of_launcher(struct slice word)
{
    static const char *const names[] = {"mpirun",          "mpiexec",        "mpirun.openmpi", "mpiexec.openmpi",
                                        "mpirun.mpich",    "mpiexec.mpich",  "mpiexec.hydra",  "mpirun_rsh",
                                        "mpirun.lsf",      "orterun",        "prterun",        "srun",
                                        "aprun",           "jsrun",          "ibrun",          "lrun",
                                        "flux",            "torchrun",       "horovodrun",     "deepspeed",
                                        "torch.distributed.run", "torch.distributed.launch", NULL};
    return settings_is_one_of(base_name(word), names);
}

bool settings_is_surely_launcher(struct slice word)
{
    static const char *const parts[] = {"MPI", "mpi", "RUN", "run", "EXEC", "exec", "LAUNCH", "launch"};
    word = base_name(word);
    bool is_named = word.length > 1 && *word.text != '$' && *word.text != '.';
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (size_t at = 0; at + strlen(parts[i]) <= word.length; at++)
            is_named |= memcmp(word.text + at, parts[i], strlen(parts[i])) == 0 && *word.text == '$';
    return (is_named && settings_is_launcher(word)) || is_name_of_launcher(word);
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

/* Returns the place behind the image or the container that the words from `first` on name. */
static size_t behind_image(const struct word *words, size_t first, size_t n)
{
    const bool has_image = !slice_is(base_name(words[first].value), "shifter");
    size_t i = first + 1;
    i += i < n && settings_is_one_of(words[i].value, container_verbs);
    while (is_option(words, i, n)) {
        const struct slice word = words[i].value;
        const bool is_alone = memchr(word.text, '=', word.length) || settings_is_one_of(word, flags) ||
                              settings_is_one_of(word, container_flags);
        i += is_alone ? 1 : 2;
    }
    i += has_image;
    return i + (i < n && slice_is(words[i].value, "--"));
}

/* The program that a launcher starts. */
struct program {
    size_t at;     /* its place; n if it is not known, or starts another one */
    bool is_small; /* it has no calls of a library */
    bool is_shell; /* its commands in quotes tell */
};

bool settings_is_small_program(struct slice word)
{
    return settings_is_one_of(base_name(word), small_programs);
}

/* Returns what a shell starts: the words behind its name are words[i] and the next ones. */
static struct program program_of_shell(const struct word *words, size_t i, size_t n)
{
    const struct slice option = i + 1 < n ? words[i].value : (struct slice){0};
    const bool has_command =
        option.length > 1 && *option.text == '-' && option.text[option.length - 1] == 'c';
    const struct slice command = has_command ? words[i + 1].value : (struct slice){0};
    const bool has_words = has_command && words[i + 1].is_quoted && memchr(command.text, ' ', command.length);
    return (struct program){n, has_command && !has_words && settings_is_small_program(command), has_words};
}

/* Finds the program among the words of a launcher from `first` on. */
static struct program find_program(const struct word *words, size_t first, size_t n)
{
    bool is_known = true, has_starter = false; /* no variable is before it; others start it */
    while (first < n) {
        const struct slice word = words[first].value, name = base_name(word);
        if (slice_is(word, "--version") || slice_is(word, "--help"))
            return (struct program){n, true, false};
        if (is_option(words, first, n)) {
            const bool is_alone = memchr(word.text, '=', word.length) || settings_is_one_of(word, flags) ||
                                  has_number(word) || is_option(words, first + 1, n);
            first += takes_two(words, first, n) ? 3 : is_alone ? 1 : 2;
        } else if (!word.length || *word.text == '$' || memchr(word.text, '=', word.length)) {
            is_known &= word.length && *word.text != '$';
            first++;
        } else if (settings_is_one_of(name, starters)) {
            has_starter = true;
            first++;
        } else if (settings_is_one_of(name, containers)) {
            first = behind_image(words, first, n);
        } else if (settings_is_one_of(name, shells)) {
            return program_of_shell(words, first + 1, n);
        } else {
            return (struct program){first, is_known && settings_is_small_program(word), false};
        }
    }
    return (struct program){n, is_known && has_starter, false};
}

size_t settings_launcher_among(const struct word *words, size_t first, size_t n)
{
    if (first >= n || slice_starts(words[first].value, "#")) /* a directive of a batch system */
        return n;
    if (settings_is_surely_launcher(words[first].value))
        return first;
    const struct slice name = base_name(words[first].value);
    const bool is_wrapper =
        settings_is_one_of(name, before_launcher) || settings_is_one_of(name, containers);
    for (size_t i = first + 1; i + 1 < n && !settings_is_one_of(name, about_launchers); i++) {
        const struct slice word = words[i].value;
        const bool is_variable = word.length && *word.text == '$' && is_wrapper;
        if ((is_name_of_launcher(word) && (is_wrapper || is_option(words, i + 1, n))) ||
            (is_variable && settings_is_surely_launcher(word)))
            return i;
    }
    return settings_is_launcher(words[first].value) ? first : n;
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

/* Takes an option that begins with a dash of a word processor, in place of one or two hyphens, and its value;
 * returns the place of its last word, or i if it is no such option. */
static size_t read_dashed(struct reader *reader, const struct word *words, size_t i, size_t n)
{
    static const struct setting_fault fault = {
        "the option before it begins with a dash of a word processor, and is none",
        "write hyphens: -x, --mca"};
    static const char *const dashes[] = {"\xE2\x80\x93", "\xE2\x80\x94", "\xE2\x88\x92"};
    struct slice option = words[i].value;
    bool has_dash = false;
    for (size_t d = 0; d < sizeof dashes / sizeof *dashes; d++)
        while (slice_starts(option, dashes[d]) || (slice_starts(option, "-") && option.length > 1)) {
            const size_t length = *option.text == '-' ? 1 : strlen(dashes[d]);
            has_dash |= length > 1;
            option = (struct slice){option.text + length, option.length - length};
        }
    const bool is_pair = slice_is(option, "mca") || slice_is(option, "gmca") || slice_is(option, "genv") ||
                         slice_is(option, "env");
    if (!has_dash || i + 1 >= n || !(is_pair || slice_is(option, "x")))
        return i;
    const struct slice word = words[i + 1].value;
    const char *equals = word.length ? memchr(word.text, '=', word.length) : NULL;
    const struct slice name = {word.text, equals ? (size_t)(equals - word.text) : word.length};
    const size_t last = equals || !is_pair || i + 2 >= n ? i + 1 : i + 2;
    settings_add_fault(reader, name, words[last], &fault);
    return last;
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

/* Returns the character between assignments of a list behind the --env of a program, '\0' if it takes one. */
static char list_stop(struct slice name)
{
    static const char *const with_lists[] = {"singularity", "apptainer", "#BSUB", "bsub", NULL};
    return settings_is_one_of(name, with_lists) ? ',' : '\0';
}

/* Returns the place behind the last word of one of several programs that a ':' parts. */
static size_t end_of_part(const struct word *words, size_t first, size_t n)
{
    while (first < n && !slice_is(words[first].value, ":"))
        first++;
    return first;
}

/* Finds the program of a part of a launch, and counts it unless it is small. */
static size_t take_program(struct reader *reader, const struct word *words, size_t first, size_t n)
{
    const size_t end = end_of_part(words, first, n);
    const struct program program = find_program(words, first, end);
    reader->n_programs += !program.is_small && !program.is_shell;
    reader->is_shell |= program.is_shell;
    return program.at < end ? program.at : n;
}

void settings_read_options(struct reader *reader, const struct word *words, size_t first, size_t n)
{
    const size_t launcher = settings_launcher_among(words, first, n);
    const struct slice name = launcher < n ? words[launcher].value : (struct slice){0};
    const bool has_program = launcher < n && starts_program(name), is_mpi = launcher < n && is_mpirun(name),
               is_rsh = launcher < n && slice_is(base_name(name), "mpirun_rsh");
    size_t begin = launcher + 1;
    while (begin < n && slice_is(base_name(name), "flux") && settings_is_one_of(words[begin].value, flux_words))
        begin++;
    size_t program = has_program ? take_program(reader, words, begin, n) : n;
    char stop = '\0';
    bool is_env = false; /* behind env, which sets variables of the program */
    if (!has_program && first < n)
        (void)take_program(reader, words, first, n);
    reader->launch = reader->command;
    for (size_t i = first; i < n; i++) {
        const struct slice word = words[i].value;
        if (has_program && i > launcher && slice_is(word, ":")) {
            reader->command = ++reader->n_commands;
            program = take_program(reader, words, i + 1, n);
        }
        reader->is_argument = i > program;
        reader->is_behind = reader->is_argument && is_mpi && settings_is_one_of(word, taken_behind);
        const size_t dashed = read_dashed(reader, words, i, n);
        if (dashed > i) { /* it was taken for the program */
            program = program > i ? program : find_program(words, dashed + 1, end_of_part(words, i, n)).at;
            i = dashed;
            continue;
        }
        const bool is_word = !is_option(words, i, n);
        if (is_word && (i == launcher || list_stop(base_name(word))))
            stop = list_stop(base_name(word));
        is_env = i > first && i < program &&
                 (slice_is(base_name(word), "env") ||
                  (is_env && (!is_word || memchr(word.text, '=', word.length))));
        if (is_env && is_word && settings_add_assignment(reader, &words[i], SETTING_OPTION))
            continue;
        if (is_rsh && i > launcher && is_word)
            (void)settings_add_assignment(reader, &words[i], SETTING_OPTION);
        else
            i = read_option(reader, words, i, n, stop);
    }
    reader->is_argument = reader->is_behind = false;
}
