/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The makers of the models in models.def. What they make lives until methods->free; the settings
 * are read when it is made, topology and placement must outlive it.
 */
#ifndef COLLC_SIMULATE_MODELS_H
#define COLLC_SIMULATE_MODELS_H

#include "simulate/network_model.h"

#define SUM(name, title)
#define MODEL(name, title) \
    struct network_model *simulate_##name(const struct network_model_settings *settings);
#include "simulate/models.def"

#endif
