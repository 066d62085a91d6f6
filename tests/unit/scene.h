/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Everything a test needs to verify a built-in algorithm somewhere: topology,
 * placement, program, binding and schedule, made from a few words.
 */
#ifndef COLLC_TESTS_SCENE_H
#define COLLC_TESTS_SCENE_H

#include "compiler/passes/expand.h"
#include "network/formats/formats.h"
#include "verify/verify.h"

struct scene_spec {
    const char *algorithm;      /* "alltoall/ring", or a file that ends with ".coll" */
    const char *topology;       /* as for topology_read */
    uint32_t n_ranks;           /* 0: as many as the placement gives */
    uint32_t ranks_per_machine; /* 0: 1 */
    const char *placement;      /* "block", "cyclic" or "unequal" (1, 2, 3, 1, 2, 3 ... ranks) */
    const char *adapters, *between_rails; /* as of struct placement_request; not with "unequal" */
    uint32_t root;
    const char *parameter;      /* NULL: none set */
    int64_t value;
};

struct test_scene {
    struct diagnostics diagnostics;
    struct arena arena;
    struct topology *topology;
    struct placement *placement;
    const struct program *program;
    struct binding *binding;
    struct schedule *schedule;
    struct verify_request request; /* topology and placement filled in */
};

/* False if something was refused, with the reason in scene->diagnostics. Close
 * it in either case. */
bool scene_open(struct test_scene *scene, const struct scene_spec *spec);
void scene_close(struct test_scene *scene);
/* One line that names the spec. The text lives in the scene. */
const char *scene_label(struct test_scene *scene, const struct scene_spec *spec);

/* True if a message is packed, or unpacked: of its chunks, taken one by one, some does not lie behind the one
 * before, and they are not combined as they come. */
bool scene_is_packed(const struct test_scene *scene, const struct op *op);

/* The program of a text, for tests that bind it many times: it is read once, and kept until another
 * text is asked for. NULL after reporting. */
const struct program *scene_program(const char *path, const char *text,
                                    struct diagnostics *diagnostics);

/* The algorithms built in are among the files 0 .. scene_n_files()-1:
 * "alltoall/ring" in `name`, which is returned, or NULL if file `index` is no
 * algorithm. In the least form four of five are none. */
enum { SCENE_NAME = 256 };
size_t scene_n_files(void);
const char *scene_algorithm(size_t index, char name[SCENE_NAME]);

#endif
