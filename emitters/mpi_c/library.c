/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library of several algorithms in one file of C: the run time once, with all that one of them needs, the
 * steps of each, and a table of rules that chooses between them (runtime/choose.c, tables/library/rules.h).
 *
 * The traits that the run time asks a call for are known when it has been printed. So the file is put
 * together from parts, and what depends on them comes last.
 */
#include "emitters/mpi_c/program.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

struct c_library {
    struct c_program *programs;  /* [n] */
    const struct c_unit **units; /* [n] of the programs */
    size_t n;
    size_t *first; /* [n_collectives + 1] algorithms are sorted by collective */
    size_t n_collectives;
    const char *version;
    bool traits[C_MAX_TRAITS];
};

static const struct c_unit *unit_of_collective(const struct c_library *library, size_t collective)
{
    return library->units[library->first[collective]];
}

static int library_compare(const void *a, const void *b)
{
    const struct program *const *first = a, *const *second = b;
    if ((*first)->collective != (*second)->collective)
        return (*first)->collective < (*second)->collective ? -1 : 1;
    if ((*first)->form != (*second)->form)
        return (*first)->form < (*second)->form ? -1 : 1;
    return strcmp((*first)->name, (*second)->name);
}

static void library_open(struct c_library *library, const struct emit_library *of,
                         const struct emit_c_options *options)
{
    const struct program **sorted = mem_alloc(of->n, sizeof *sorted);
    memcpy(sorted, of->programs, of->n * sizeof *sorted);
    qsort(sorted, of->n, sizeof *sorted, library_compare);
    *library = (struct c_library){.n = of->n, .version = of->version};
    library->programs = mem_alloc(of->n, sizeof *library->programs);
    library->units = mem_alloc(of->n, sizeof *library->units);
    library->first = mem_alloc(of->n + 1, sizeof *library->first);
    for (size_t i = 0; i < of->n; i++) {
        c_program_open(&library->programs[i], sorted[i], options);
        library->units[i] = &library->programs[i].unit;
        if (i == 0 || sorted[i]->collective != sorted[i - 1]->collective ||
            sorted[i]->form != sorted[i - 1]->form)
            library->first[library->n_collectives++] = i;
    }
    library->first[library->n_collectives] = of->n;
    free(sorted);
}

static void library_close(struct c_library *library)
{
    for (size_t i = 0; i < library->n; i++)
        c_program_close(&library->programs[i]);
    free(library->programs);
    free(library->units);
    free(library->first);
}

/* Prints a file of runtime/ as the algorithms need it. */
static void library_part(struct c_library *library, const char *name, struct text *out)
{
    const struct c_set set = {.units = library->units,
                              .n = library->n,
                              .is_library = true,
                              .version = library->version,
                              .traits = library->traits};
    c_template(&set, name, out);
}

/* --- tables of C --------------------------------------------------------- */

/* MPI's functions that the library takes or calls behind itself. */
static const struct {
    const char *name, *parameters;
} library_functions[] = {
    {"Init", "(int *argc, char ***argv)"},
    {"Init_thread", "(int *argc, char ***argv, int required, int *provided)"},
    {"Finalize", "(void)"},
#define SIGNATURE(name, mpi, parameters, arguments) {#mpi, #parameters},
#include "emitters/mpi_c/signatures.def"
#undef SIGNATURE
};
enum { LIBRARY_FUNCTIONS = sizeof library_functions / sizeof *library_functions };

/* True if MPI 4 has the function with large counts, of which all ranks have one. */
static bool library_has_large(size_t function)
{
    return strstr(library_functions[function].parameters, "count,") &&
           strncmp(library_functions[function].name, "Neighbor", 8) != 0;
}

/* Prints a pointer to each of these functions. */
static void print_functions(struct text *out)
{
    text_printf(out, "#if MPI_VERSION >= 4\n#define COLLC_HAS_LARGE\n#endif\n\n"
                     "/* MPI's own functions, and those of a tool behind this library. */\n"
                     "static struct {\n");
    for (size_t i = 0; i < LIBRARY_FUNCTIONS; i++)
        text_printf(out, "    int (*%s)%s;\n", library_functions[i].name, library_functions[i].parameters);
    text_printf(out, "#ifdef COLLC_HAS_LARGE\n");
    for (size_t i = 0; i < LIBRARY_FUNCTIONS; i++) {
        if (!library_has_large(i))
            continue;
        text_printf(out, "    int (*%s_c)(", library_functions[i].name);
        c_change_counts(library_functions[i].parameters, "int ", "MPI_Count ", "", out);
        text_printf(out, ");\n");
    }
    text_printf(out, "#endif\n} collc_real, collc_tool;\n\n");
}

/* Prints how the functions of that name are found. */
static void library_print_found(const char *name, const char *end, struct text *out)
{
    text_printf(out,
                "    collc_find(\"PMPI_%s%s\", &collc_real.%s%s, sizeof collc_real.%s%s);\n"
                "    collc_find_tool(\"PMPI_%s%s\", &collc_tool.%s%s, sizeof collc_tool.%s%s);\n",
                name, end, name, end, name, end, name, end, name, end, name, end);
}

static void library_print_finding(struct text *out)
{
    text_printf(out,
                "__attribute__((constructor)) static void collc_find_functions(int argc, char **argv)\n{\n"
                "    (void)argc;\n    if (collc_is_foreign())\n        collc_give_up(argv);\n");
    for (size_t i = 0; i < LIBRARY_FUNCTIONS; i++)
        library_print_found(library_functions[i].name, "", out);
    text_printf(out, "#ifdef COLLC_HAS_LARGE\n");
    for (size_t i = 0; i < LIBRARY_FUNCTIONS; i++)
        if (library_has_large(i))
            library_print_found(library_functions[i].name, "_c", out);
    text_printf(out, "#endif\n}\n");
}

static void print_names(const struct c_library *library, struct text *out)
{
    text_printf(out,
                "enum { collc_n_collectives = %zu, collc_n_algorithms = %zu, collc_usual_after = 32 };\n\n"
                "static const char *const collc_collectives[] = {",
                library->n_collectives, library->n);
    for (size_t i = 0; i < library->n_collectives; i++) {
        const struct c_unit *unit = unit_of_collective(library, i);
        text_printf(out, "%s\n    \"%s\"", i ? "," : "", collective_name(unit->collective, unit->form));
    }
    text_printf(out, "};\n\nstatic const struct collc_algorithm collc_algorithms[collc_n_algorithms];\n"
                     "static const struct collc_traits collc_base[collc_n_collectives];\n\n");
}

/* Prints the text of the table as literals, none longer than C promises to take. */
static void print_table(const char *text, struct text *out)
{
    enum { MOST = 400 };
    int n = 0;
    text_printf(out, "/* The table that is built in. */\nstatic const char *const collc_table[] = {\n    \"");
    for (const char *c = text; *c; c++) {
        const unsigned char letter = (unsigned char)*c;
        const bool is_plain = letter >= ' ' && letter <= '~' && !strchr("\"\\?", letter);
        if (letter == '\n')
            text_printf(out, "\\n");
        else
            text_printf(out, is_plain ? "%c" : "\\%03o", letter);
        if ((letter == '\n' || ++n == MOST) && c[1]) {
            text_printf(out, "\",\n    \"");
            n = 0;
        }
    }
    text_printf(out, "\"};\n\n");
}

static void library_print_lower(const char *name, struct text *out)
{
    for (; *name; name++)
        text_printf(out, "%c", tolower((unsigned char)*name));
}

static void print_traits_type(const struct c_library *library, struct text *out)
{
    text_printf(out,
                "/* What an algorithm and its collective need of the run time. */\nstruct collc_traits {\n");
    for (size_t i = 0; c_trait_name(i); i++)
        if (library->traits[i]) {
            text_printf(out, "    unsigned char ");
            library_print_lower(c_trait_name(i), out);
            text_printf(out, ";\n");
        }
    text_printf(out, "    unsigned char is_there;\n};\n\n");
}

/* Prints the traits of the unit that the run time asks for. */
static void print_traits(const struct c_library *library, const struct c_unit *unit, struct text *out)
{
    text_printf(out, "{");
    for (size_t i = 0; c_trait_name(i); i++)
        if (library->traits[i] && c_unit_has_trait(unit, i)) {
            text_printf(out, ".");
            library_print_lower(c_trait_name(i), out);
            text_printf(out, " = 1, ");
        }
    text_printf(out, ".is_there = 1}");
}

static void library_print_parameters(const struct program *program, struct text *out)
{
    const char *before = "";
    text_printf(out, "{");
    for (uint32_t i = 0; i < program->n_variables; i++)
        if (program->variables[i].kind == VARIABLE_PARAMETER) {
            text_printf(out, "%s\"%s\"", before, program->variables[i].name);
            before = ", ";
        }
    text_printf(out, *before ? "}" : "NULL}");
}

static void print_algorithms(const struct c_library *library, struct text *out)
{
    text_printf(out, "static const struct collc_traits collc_base[collc_n_collectives] = {\n");
    for (size_t i = 0; i < library->n_collectives; i++) {
        struct c_unit base;
        const struct c_unit *unit = unit_of_collective(library, i);
        c_unit_init(&base, unit->collective, unit->form, "", 0, &(struct emit_c_options){.is_library = true});
        text_printf(out, "    ");
        print_traits(library, &base, out);
        text_printf(out, ",\n");
    }
    text_printf(out, "};\n\nstatic const struct collc_traits collc_traits[collc_n_algorithms] = {\n");
    for (size_t i = 0; i < library->n; i++) {
        text_printf(out, "    ");
        print_traits(library, library->units[i], out);
        text_printf(out, ",\n");
    }
    text_printf(out, "};\n\nstatic const struct collc_algorithm collc_algorithms[collc_n_algorithms] = {\n");
    for (size_t c = 0; c < library->n_collectives; c++)
        for (size_t i = library->first[c]; i < library->first[c + 1]; i++) {
            const struct c_program *p = &library->programs[i];
            const bool has_like = c_program_has_like(p->unit.features);
            text_printf(out, "    {%zu, \"%s\", collc_fits%s, collc_steps%s,\n     ", c, p->unit.algorithm,
                        p->suffix, p->suffix);
            if (has_like)
                text_printf(out, "collc_like%s, collc_like_buffer%s, ", p->suffix, p->suffix);
            else
                text_printf(out, "NULL, 0, ");
            library_print_parameters(p->form.program, out);
            text_printf(out, ", &collc_traits[%zu]},\n", i);
        }
    text_printf(out, "};\n\n");
}

/* --- the file ------------------------------------------------------------ */

static void print_heading(const struct c_library *library, struct text *out)
{
    text_printf(
        out,
        "/* SPDX-License-Identifier: 0BSD */\n"
        "/* %zu algorithms of %zu collectives, and rules that choose between them. Generated by collc.\n"
        " *\n"
        " *   mpicc -std=c99 -O2 -shared -fPIC FILE.c -o libcollc-mpi.so -ldl -lpthread\n"
        " *\n"
        " * Loaded before the MPI (LD_PRELOAD, or named before it when a program is linked) it takes the\n"
        " * place of MPI's collectives. COLLC_TABLE names a file with other rules, COLLC_REPORT one for a\n"
        " * report of what ran; COLLC_TRY compares algorithms while the program runs, and COLLC_TRIED\n"
        " * names a file for what it chose; COLLC_OFF leaves all to the MPI.\n"
        " */\n"
        "#define _GNU_SOURCE /* RTLD_NEXT */\n\n",
        library->n, library->n_collectives);
}

/* Returns a number that is another one for most other texts (FNV-1a). */
static uint32_t library_mark(const struct text *text)
{
    uint32_t mark = 2166136261u;
    for (size_t i = 0; i < text->length; i++)
        mark = (mark ^ (unsigned char)text->data[i]) * 16777619u;
    return mark;
}

static void print_entries(struct c_library *library, struct text *out)
{
    for (size_t c = 0; c < library->n_collectives; c++) {
        const size_t first = library->first[c];
        const struct c_set set = {.units = library->units + first,
                                  .n = library->first[c + 1] - first,
                                  .is_library = true,
                                  .collective = c,
                                  .traits = library->traits};
        c_template(&set, "entry.c", out);
    }
}

const char *emit_library(const struct emit_request *request, struct text *out)
{
    static const char *const core[] = {"state.c",     "clusters.c", "communicator.c",
                                       "neighbors.c", "buffers.c",  "messages.c",
                                       "sets.c",      "sized.c",    "step.c",     "arithmetic.c"};
    static const char *const behind[] = {"operation.c", "try.c",   "choose.c", "open.c",
                                         "layout.c",    "tried.c", "report.c"};
    const struct emit_c_options options = {.is_library = true};
    struct c_library library;
    struct text body = {0};
    library_open(&library, request->library, &options);
    print_heading(&library, out);
    library_part(&library, "rules.h", out);
    library_part(&library, "types.c", out);
    print_functions(&body);
    print_names(&library, &body);
    for (size_t i = 0; i < sizeof core / sizeof *core; i++)
        library_part(&library, core[i], &body);
    for (size_t i = 0; i < library.n; i++)
        c_program_print(&library.programs[i], &body);
    print_table(request->library->table, &body);
    for (size_t i = 0; i < sizeof behind / sizeof *behind; i++)
        library_part(&library, behind[i], &body);
    print_entries(&library, &body);
    library_part(&library, "start.c", &body);
    library_print_finding(&body);
    print_traits_type(&library, out);
    text_printf(out,
                "/* Equal in libraries of the same text. */\nstatic const uint32_t collc_build = %" PRIu32
                "u;\n\n",
                library_mark(&body));
    text_append(out, body.data, body.length);
    text_printf(out, "\n");
    print_algorithms(&library, out);
    text_free(&body);
    library_close(&library);
    return NULL;
}
