/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of methods, and their common functions. See synth.h.
 */
#include "synth/method.h"

static const struct synth_method *const methods[N_SYNTH_METHODS] = {
#define SYNTH_METHOD(name, title) &name##_method,
#include "synth/methods.def"
};
const char *const synth_method_name[N_SYNTH_METHODS] = {
#define SYNTH_METHOD(name, title) #name,
#include "synth/methods.def"
};

bool synth_is_alltoall(const struct synth_request *request, struct text *problem)
{
    if (request->what.collective != COLLECTIVE_alltoall) {
        text_printf(problem, "it makes all-to-alls only");
        return false;
    }
    if (request->what.placement->n_ranks > SYNTH_MAX_PAIRED_RANKS) {
        text_printf(problem, "it lists all pairs of at most %d ranks", SYNTH_MAX_PAIRED_RANKS);
        return false;
    }
    return true;
}

bool synth_goes_on(const struct synth_request *request, const struct synth_progress *progress)
{
    return !request->watch || request->watch(request->watch_data, progress);
}

static struct schedule_header header_of(const struct synth_request *request, const char *algorithm)
{
    const struct bound_request *what = &request->what;
    return (struct schedule_header){.collective = what->collective,
                                    .form = request->form,
                                    .algorithm = algorithm,
                                    .n_ranks = what->placement->n_ranks,
                                    .root = what->root,
                                    .segments = 1,
                                    .counts = what->counts,
                                    .topology = what->topology->name,
                                    .fingerprint = what->topology->fingerprint,
                                    .machine = what->placement->machine};
}

bool collc_synth_is_straight(unsigned method)
{
    return methods[method]->is_straight;
}

struct schedule *collc_synth(const struct synth_request *request, struct text *problem)
{
    const struct synth_method *method = methods[request->method];
    struct synth_steps steps = {0};
    struct schedule_header header = header_of(request, method->name);
    if (!method->make(request, &steps, &header, problem)) {
        synth_steps_free(&steps);
        return NULL;
    }
    if (request->form == FORM_EQUAL && request->bytes)
        header.chunk_bytes = collective_chunk_bytes(header.collective, header.segments, request->bytes);
    return synth_steps_schedule(&steps, &header);
}
