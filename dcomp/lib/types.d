/* SPDX-License-Identifier: GPL-2.0-or-later */
/* types.d - names of types that D scripts use, where the guest has none; NULL. */
typedef int id_t;
typedef int projid_t;
typedef int taskid_t;
typedef int zoneid_t;
typedef int processorid_t;
typedef int psetid_t;
typedef long hrtime_t;
typedef char *caddr_t;
typedef unsigned int major_t;
typedef unsigned int minor_t;
typedef int wchar_t;
typedef struct mutex kmutex_t;
typedef struct rw_semaphore krwlock_t;
inline void *NULL = 0;
