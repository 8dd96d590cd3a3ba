/* config.h - the settings: the environment as it was at start-up.
 *
 * [init] config_setup. Afterwards `config` is read-only, [any].
 */
#ifndef PRELOAD_BASE_CONFIG_H
#define PRELOAD_BASE_CONFIG_H

#include <stdint.h>

#define CONFIG_STRING 4096      /* a string setting is shorter */

struct config {
#define STRING(field) const char *field;
#define COUNT(field) int field;
#define FLAG(field) int field;
#define SETTING(name, type, field, def, help) type(field)
#include "base/settings.def"
#undef SETTING
#undef STRING
#undef COUNT
#undef FLAG
};
extern struct config config;

/* Reads ENVIRONMENT. For a bad value it prints one line and keeps the default. */
void config_setup(char *const *environment);

/* [any] The default of the setting NAME, whose value is a string; "": there is no such setting. */
const char *config_default(const char *name);
/* [any] The same of a setting whose value is a number; 0: there is no such setting. */
long config_default_count(const char *name);

/* [writer] Calls EMIT for every setting with its value as text. */
void config_each(void (*emit)(void *closure, const char *name, const char *value), void *closure);

#endif
