// The software GPU's driver functions: each name of functions.def, with the
// type that cuda.h gives it.
//
// A function that is declared here and not written does not link.
//
// Thread safety: thread-safe, as CUDA documents them and where it does not.
#ifndef GRAPHD_CORE_SOFTGPU_API_H_
#define GRAPHD_CORE_SOFTGPU_API_H_

#include "core/driver/driver_table.h"

namespace graphd::softgpu::api {

#define GRAPHD_DRIVER_REQUIRED(name) decltype(::name) name;
#define GRAPHD_DRIVER_OPTIONAL(name) decltype(::name) name;
#include "core/driver/functions.def"
#undef GRAPHD_DRIVER_REQUIRED
#undef GRAPHD_DRIVER_OPTIONAL

// DriverTable::fault_detail and stop_kernels.
bool FaultDetailOfCurrent(FaultDetail* detail);
void StopKernelsOfCurrent();

}  // namespace graphd::softgpu::api

#endif  // GRAPHD_CORE_SOFTGPU_API_H_
