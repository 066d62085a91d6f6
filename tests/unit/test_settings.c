/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Settings in scripts and parameter files: what is found, where, and which of two acts. Exports of shell
 * scripts made at random are compared with what bash hands to a program.
 */
#include "tables/loaders.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Prints the settings as "line:column NAME=VALUE form"; forms by a letter each. */
static void print_settings(const struct settings *settings, struct text *out)
{
    static const char forms[] = "lecomg";
    for (size_t i = 0; i < settings->n; i++) {
        const struct setting *setting = &settings->items[i];
        text_printf(out, "%u:%u %.*s=%.*s %c%s%s%s\n", setting->line,
                    settings_position(settings, setting->value).column, (int)setting->name.length,
                    setting->name.text, (int)setting->value.length, setting->value.text, forms[setting->form],
                    setting->is_computed ? " computed" : "", setting->is_hidden ? " hidden" : "",
                    setting->is_undone     ? " undone"
                    : setting->is_argument ? " argument"
                    : setting->fault       ? " fault"
                    : setting->assumed     ? " assumed"
                                           : "");
    }
}

/* Each text, and its settings: l a line, e exported, c for a command, o an option, m --mca, g --gmca. */
static const struct {
    const char *text, *settings;
} cases[] = {
    {"", ""},
    {"this is a letter: don't worry\n", ""},
    {"coll_tuned_x = 1\n  y_z=\t2 3 # c\n# a = 1\nb=4 # c\n", "1:16 coll_tuned_x=1 l\n2:8 y_z=2 3 # c l\n4:3 b=4 # c l\n"},
    {"A=3:0-4096;2\nB=x\n", "1:3 A=3:0-4096;2 l\n2:3 B=x l\n"},
    {"export A=1 B=\"b c\" C='d'\"e\" # F=1\n", "1:10 A=1 e\n1:15 B=b c e\n1:22 C=de e\n"},
    {"#!/bin/sh\nA=1\nB=2; export B\nC=3\n", "2:3 A=1 l hidden\n3:3 B=2 l\n4:3 C=3 l hidden\n"},
    {"set -a\nA=1\n", "2:3 A=1 e\n"},
    {"declare -x A=1\ntypeset -rx B=2\ndeclare C=3\n", "1:14 A=1 e\n2:15 B=2 e\n3:11 C=3 l hidden\n"},
    {"A=1 B='2 3' ./a.out C=4\n", "1:3 A=1 c\n1:8 B=2 3 c\n"},
    {"env -u X A=1 ./a B=2\n", "1:12 A=1 c\n"},
    {"env A=1 B=2 ./a C=3\n", "1:7 A=1 c\n1:11 B=2 c\n"},
    {"setenv A 9; setenv B \"x y\"\n", "1:10 A=9 e\n1:23 B=x y e\n"},
    {"setenv A {9}\npushenv B 2\n", "1:11 A=9 e\n2:11 B=2 e\n"},
    {"setenv(\"A\", \"9\")\npushenv('B','x')\n-- setenv(\"C\",\"1\")\n--setenv(\"D\",\"1\")\n",
     "1:14 A=9 e\n2:14 B=x e\n"},
    {"os.environ[\"A_B\"] = '1'\n", "1:22 A_B=1 e\n"},
    {"set -gx A 1\nENV B=2 C=3\nENV D 4\n", "1:11 A=1 e\n2:7 B=2 e\n2:11 C=3 e\n3:7 D=4 e\n"},
    {"mpirun -genv A 5 -genv B=6 -env C 7 -x D=8 -n 2 ./a\n", "1:16 A=5 o\n1:26 B=6 o\n1:35 C=7 o\n1:42 D=8 o\n"},
    {"mpirun -np 2 \\\n  --mca a_b 1 \\\r\n  -x C=\"d e\" -gmca f g ./a\n", "2:13 a_b=1 m\n3:9 C=d e o\n3:22 f=g g\n"},
    {"srun --export=ALL,A=1,B=2 ./a\n#SBATCH --export=NONE,C=3\n#PBS -v D=4,E=5\n",
     "1:21 A=1 o\n1:25 B=2 o\n2:25 C=3 o\n3:11 D=4 o\n3:15 E=5 o\n"},
    {"  # export A=1\necho export B=1\nprintf 'C=1\\n'\n", ""},
    {"OPTS=\"-x A=1 --mca b_c 2\"\nmpirun $OPTS ./a\n", "1:7 OPTS=-x A=1 --mca b_c 2 l hidden\n1:12 A=1 o\n1:24 b_c=2 m\n"},
    {"ARGS=(-genv A 1)\n", "1:6 ARGS= l hidden\n1:15 A=1 o\n"},
    {"bash -c 'A=1 ./x'\n", "1:12 A=1 c\n"},
    {"if x; then export A=1; else export A=2; fi\n", "1:21 A=1 e\n1:38 A=2 e\n"},
    {"K=knomial\nexport A=@$K B=\"@${K}\" C=${D}\n",
     "1:3 K=knomial l hidden\n2:10 A=@knomial e\n2:16 B=@knomial e\n2:26 C=${D} e computed\n"},
    {"export A=$(cat x y) B=`z` C='$D'\n", "1:10 A=$(cat x y) e computed\n1:23 B=`z` e computed\n1:30 C=$D e\n"},
    {"export A=1\nunset A\n", "1:10 A=1 e undone\n"},
    {"export LONG=abc\\\ndef\n", "1:13 LONG=abcdef e\n"},
    {"- name: A_B\n  value: \"1\"\n  C_D: ring\n", "2:11 A_B=1 e\n3:8 C_D=ring e\n"},
    {"- {name: A_B, value: 1}\nenv:\n- A_B=2\n- C_D=3\n", "1:22 A_B=1 e\n3:7 A_B=2 e\n4:7 C_D=3 e\n"},
    {"command: [\"mpirun\", '-x', \"A=1\",\n  \"--mca\", \"b_c\", \"2\"]\n", "1:30 A=1 o\n2:20 b_c=2 m\n"},
    {"args:\n- mpirun\n- --mca\n- b_c\n- \"2\"\n- mpirun -x D=3 ./a\n", "5:4 b_c=2 m\n6:15 D=3 o\n"},
    {"x = {'A_B': '1', \"C_D\": 2,\n  'E_F': y}\n", "1:14 A_B=1 e\n1:25 C_D=2 e\n2:10 E_F=y} e computed\n"},
    {"subprocess.run([\"mpirun\", \"-x\", \"A=1\", \"./a\"])\nenv.set('B', 'c')\n", "1:36 A=1 o\n2:15 B=c e\n"},
    {"setenv( 'A' , 6 )\nsetenv(\"B\", base .. \"/x\")\nsetenv{\"C\", \"d\" .. e}\n",
     "1:15 A=6 e\n2:13 B=base .. \"/x\") e computed\n3:13 C=\"d\" .. e} e computed\n"},
    {"set a /b\nsetenv --set-if-undef C $a/d\nset e = 3\nsetenv F $e\n",
     "1:7 a=/b l hidden\n2:25 C=/b/d e\n3:9 e=3 l hidden\n4:10 F=3 e\n"},
    {"[Service]\nEnvironment=A=1 \"B=c d\"\nenvironment=C=\"x\",D=\"y\"\n",
     "2:15 A=1 e\n2:20 B=c d e\n3:16 C=x e\n3:22 D=y e\n"},
    {"#BSUB -env \"all, A=1, B=2\"\n# flux: --env=C=3\n#$ -v D=4\n", "1:20 A=1 o\n1:25 B=2 o\n2:17 C=3 o\n3:9 D=4 o\n"},
    {"mpirun -np 4 ./a --mca b_c 1\nmpirun --oversubscribe env D=2 ./a -x E=3\nmpirun -n 2 sh -c 'F=4 ./a'\n",
     "1:28 b_c=1 m\n2:30 D=2 o\n2:41 E=3 o argument\n3:22 F=4 c\n"},
    {"mpirun --omca b_c 1 --prtemca d e --tune f -n 2 ./a\n", "1:19 b_c=1 m\n1:42 mca_base_envar_file_prefix=f m\n"},
    {"mpirun --mca mca_base_env_list \"A=1;B=2\" ./a\n", "1:33 mca_base_env_list=A=1;B=2 m\n1:35 A=1 o\n1:39 B=2 o\n"},
    {"mpirun_rsh -np 2 A=1 ./a\napptainer exec --env B=1,C=2 x ./a\nexport APPTAINERENV_D=3\n",
     "1:20 A=1 o\n2:24 B=1 o\n2:28 C=2 o\n3:23 D=3 e fault\n"},
    {"RUN A=1 make && \\\n  B=2 x\nENV C=3\n", "3:7 C=3 e\n"},
    {": ${A:=1}\nexport A\n", "1:8 A=1 l\n"},
    {"A=1\nB=$1\nexport C=${A:-2} D=${E:-3}4 F=${G-5} H=${B:-7} I=${K:-$A} L=${M:?n}\n",
     "1:3 A=1 l hidden\n2:3 B=$1 l computed hidden\n3:10 C=1 e\n3:20 D=34 e assumed\n3:31 F=5 e assumed\n"
     "3:40 H=${B:-7} e computed\n3:50 I=${K:-$A} e computed\n3:61 L=${M:?n} e computed\n"},
    {"mpirun --mca a_b=1 -x C=2 ./a\n", "1:18 a_b=1 m fault\n"},
    {"a_b = 1\nc_d 2\n", "1:7 a_b=1 l\n2:5 c_d=2 m fault\n"},
    {"env = {}\nenv[\"A_B\"] = \"1\"\nself.my_env['C_D']='2'\nenv.setdefault(\"E_F\", 'g')\nmap[\"H_I\"]=1\n",
     "2:15 A_B=1 e\n3:21 C_D=2 e\n4:24 E_F=g e\n"},
    {"export A := 1\nexport B ?= 2\nexport C = $(D)\n", "1:13 A=1 e\n2:13 B=2 e\n3:12 C=$(D) e computed\n"},
    {"export A_{b,C}_d=2 E={f}\n", "1:18 A_b_d=2 e\n1:18 A_C_d=2 e\n1:22 E={f} e\n"},
    {"ENTRYPOINT [\"mpirun\", \"-x\", \"A=1\"]\nCMD [\"./a\"]\n", "1:32 A=1 o\n"},
};

static void test_forms(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        struct text text = {0};
        const struct source *source = source_of_text("t", cases[i].text, strlen(cases[i].text), &arena);
        print_settings(settings_read(source, &arena), &text);
        const char *printed = text.length ? text.data : "";
        if (strcmp(printed, cases[i].settings) != 0)
            printf("\n%s---\n%s+++\n%s", cases[i].text, cases[i].settings, printed);
        CU_ASSERT_STRING_EQUAL(printed, cases[i].settings);
        text_free(&text);
        arena_free(&arena);
    }
}

/* ---- bash ---- */

static uint64_t state;

static unsigned below(unsigned n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

/* Appends a value in a quoting of one kind or another. */
static void add_value(struct text *out)
{
    static const char *const plain[] = {"3:0-4096@2-16", "allreduce:0-4k:@1", "", "ring,tree", "^LL128", "a=b",
                                        "x#y", "$V0", "${V1}z", "${V2:-d}e", "${W-f}"};
    static const char *const quoted[] = {"1;2", "a b", "ring;allreduce:tree", "it is", "# x", "a|b & c"};
    switch (below(6)) {
    case 0: text_printf(out, "\"%s\"", quoted[below(6)]); break;
    case 1: text_printf(out, "'%s'", quoted[below(6)]); break;
    case 2: text_printf(out, "%s'%s'%s", plain[below(7)], quoted[below(6)], plain[below(7)]); break;
    case 3: text_printf(out, "a\\;b\\\\c"); break;
    case 4: text_printf(out, "\"x\\\"%s\\\\\"", plain[below(7)]); break;
    default: text_printf(out, "%s", plain[below(11)]); break;
    }
}

static void add_shell_line(struct text *out)
{
    static const char *const begins[] = {"export", "declare -x", "typeset -x", "  export"};
    const unsigned kind = below(8);
    if (kind == 0) {
        text_printf(out, "# export V%u=comment\n", below(5));
    } else if (kind == 1) {
        text_printf(out, "V%u=", below(5));
        add_value(out);
        text_printf(out, "; export V%u # why\n", below(5));
    } else {
        text_printf(out, "%s", begins[below(4)]);
        for (unsigned n = 1 + below(3); n; n--) {
            text_printf(out, "%s V%u=", below(4) ? "" : " \\\n  ", below(5));
            add_value(out);
        }
        text_printf(out, "%s\n", below(3) ? "" : " ; true");
    }
}

static struct slice key_of_bash(const struct setting *setting)
{
    return *setting->name.text == 'V' ? setting->name : (struct slice){0};
}

/* Compares a line of env(1) with the setting that acts. */
static void compare_with_env(const struct settings *settings, char *line)
{
    static const struct settings_dialect dialect = {.example = "", .key = key_of_bash};
    char *equals = strchr(line, '=');
    if (line[0] != 'V' || !equals)
        return;
    const struct setting *setting =
        settings_acting(settings, &dialect, (struct slice){line, (size_t)(equals - line)});
    line[strcspn(line, "\n")] = '\0';
    CU_ASSERT_FATAL(setting != NULL);
    if (!setting->is_computed && !slice_is(setting->value, equals + 1))
        printf("\n%s is %.*s", line, (int)setting->value.length, setting->value.text);
    CU_ASSERT(setting->is_computed || slice_is(setting->value, equals + 1));
}

static void test_bash(void)
{
    char path[] = "/tmp/settings-XXXXXX", line[4096];
    const int descriptor = mkstemp(path);
    CU_ASSERT_FATAL(descriptor >= 0);
    close(descriptor);
    for (int i = 0; i < (int)by_form(20, 250, 1000); i++) {
        struct text text = {0}, command = {0};
        struct arena arena = {0};
        text_printf(&text, "#!/bin/bash\n");
        for (unsigned n = 1 + below(6); n; n--)
            add_shell_line(&text);
        FILE *script = fopen(path, "w");
        fprintf(script, "%senv\n", text.data);
        fclose(script);
        text_printf(&command, "env -i PATH=\"$PATH\" bash %s", path);
        const struct source *source = source_of_text("t", text.data, text.length, &arena);
        const struct settings *settings = settings_read(source, &arena);
        FILE *env = popen(command.data, "r");
        while (fgets(line, sizeof line, env))
            compare_with_env(settings, line);
        pclose(env);
        text_free(&text);
        text_free(&command);
        arena_free(&arena);
    }
    remove(path);
}

/* ---- which acts ---- */

/* Files without a setting get B038 of every target. */
static void test_none(void)
{
    static const char *const texts[] = {"", "a letter, of 3 lines\n", "export PATH=/x\nmpirun -np 4 ./a\n",
                                        "# of another program\ndevice_streams = 6\ndevice_enabled = 8\n"};
    for (size_t i = 0; i < n_table_loaders; i++)
        for (size_t j = 0; j < sizeof texts / sizeof *texts; j++) {
            struct arena arena = {0};
            struct diagnostics errors = {0};
            const struct source *source = source_of_text("t", texts[j], strlen(texts[j]), &arena);
            CU_ASSERT_PTR_NULL(table_read(table_loaders[i], source, &arena, &errors));
            CU_ASSERT_EQUAL(errors.n_of_severity[SEVERITY_ERROR], 1);
            diagnostics_free(&errors);
            arena_free(&arena);
        }
}

UNIT_PROGRAM(test_settings)
{
    CU_TestInfo tests[] = {{"forms", test_forms},
                           {"exports are those that bash hands on", test_bash},
                           {"a file without settings is none for any target", test_none},
                           CU_TEST_INFO_NULL};
    return run_suite("settings", tests);
}
