/* SPDX-License-Identifier: BSD-3-Clause
 *
 * simulate MODEL|direct local|barrier ALGORITHM TOPOLOGY RANKS-PER-MACHINE BYTES [PARAMETER VALUE]
 *
 * Plays a schedule on a model of the network (direct: by `asap`, for its time alone), hosts costing nothing,
 * and prints
 *   MESSAGES SECONDS NS
 * what it has, CPU seconds of that, and the time that was found.
 */
#include "simulate/direct.h"
#include "simulate/models.h"
#include "simulate/player.h"
#include "tests/unit/scene.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct {
    const char *name;
    struct network_model *(*make)(const struct network_model_settings *settings);
} models[] = {
#define SUM(name, title)
#define MODEL(name, title) {#name, simulate_##name},
#include "simulate/models.def"
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static uint64_t count_messages(struct schedule *schedule)
{
    struct step step;
    uint64_t n = 0;
    schedule->rewind(schedule);
    while (schedule->next(schedule, &step))
        n += step.n_sends;
    return n;
}

static int measure_direct(struct test_scene *scene, const struct player_settings *settings)
{
    struct time_parts parts;
    uint64_t time;
    const double start = now();
    const bool is_played = direct_play(scene->schedule, settings, &time, &parts);
    const double seconds = now() - start;
    printf("%" PRIu64 " %.4f %" PRIu64 "\n", count_messages(scene->schedule), seconds, time);
    return !is_played;
}

static int measure(struct test_scene *scene, const char *name, const char *sync, const char *bytes)
{
    const struct player_settings settings = {
        .topology = scene->topology,
        .placement = scene->placement,
        .costs = {.memory_bandwidth = UINT64_C(1000000000000)},
        .chunk_bytes = strtoull(bytes, NULL, 10),
        .eager_limit = PLAYER_EAGER_LIMIT,
        .synchronisation = strcmp(sync, "barrier") == 0 ? SYNC_BARRIER : SYNC_LOCAL,
        .order = SEND_QUEUE};
    const struct network_model_settings model_settings = {
        .topology = scene->topology, .placement = scene->placement, .order = SEND_QUEUE};
    struct network_model *model = NULL;
    struct played played;
    if (strcmp(name, "direct") == 0)
        return measure_direct(scene, &settings);
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (strcmp(models[i].name, name) == 0)
            model = models[i].make(&model_settings);
    if (!model)
        return 2;
    const double start = now();
    player_run(scene->schedule, model, &settings, &played, &scene->diagnostics);
    printf("%" PRIu64 " %.4f %" PRIu64 "\n", played.n_messages, now() - start, played.time);
    const int status = played.outcome != PLAYED_WHOLE;
    played_free(&played);
    model->methods->free(model);
    return status;
}

int main(int argc, char **argv)
{
    struct test_scene scene;
    if (argc < 7)
        return 2;
    const struct scene_spec spec = {
        .algorithm = argv[3],
        .topology = argv[4],
        .ranks_per_machine = (uint32_t)strtoul(argv[5], NULL, 10),
        .parameter = argc > 8 ? argv[7] : NULL,
        .value = argc > 8 ? strtoll(argv[8], NULL, 10) : 0};
    const int status = scene_open(&scene, &spec) ? measure(&scene, argv[1], argv[2], argv[6]) : 2;
    scene_close(&scene);
    return status;
}
