#include "tests/unit/optimize/kernels.h"

#include "absl/strings/str_cat.h"

namespace graphd {
namespace {

constexpr char kHead[] = ".version 7.0\n.target sm_75\n.address_size 64\n";

constexpr char kCopyBody[] = R"(
  .reg .pred %p;
  .reg .b32 %i, %n, %a, %b, %v;
  .reg .b64 %in, %out, %o;
  ld.param.u64 %in, [p0];
  ld.param.u64 %out, [p1];
  ld.param.u32 %n, [p2];
  mov.u32 %a, %ctaid.x;
  mov.u32 %b, %ntid.x;
  mov.u32 %i, %tid.x;
  mad.lo.s32 %i, %a, %b, %i;
  setp.ge.u32 %p, %i, %n;
  @%p bra DONE;
  cvta.to.global.u64 %in, %in;
  cvta.to.global.u64 %out, %out;
  mul.wide.u32 %o, %i, 4;
  add.s64 %in, %in, %o;
  ld.global.u32 %v, [%in];
  add.s64 %out, %out, %o;
  st.global.u32 [%out], %v;
DONE:
  ret;
)";

}  // namespace

std::string ElementwiseModule(const std::vector<std::string>& names) {
  std::string text = kHead;
  for (const std::string& name : names) {
    absl::StrAppend(&text, ".visible .entry ", name,
                    "(.param .u64 p0, .param .u64 p1, .param .u32 p2)\n{",
                    kCopyBody, "}\n");
  }
  return text;
}

std::string OneKernel(const std::string& name, const std::string& parameters,
                      const std::string& body, const std::string& before) {
  return absl::StrCat(kHead, before, ".visible .entry ", name, "(", parameters,
                      ")\n{\n", body, "\n  ret;\n}\n");
}

std::vector<ModuleImage> ImagesOf(const Graph& graph) {
  std::vector<ModuleImage> images;
  for (const Module& module : graph.modules) {
    images.push_back({module.kind == ModuleKind::kCubin ? ImageKind::kCubin
                                                        : ImageKind::kPtx,
                      module.code,
                      {}});
  }
  return images;
}

}  // namespace graphd
