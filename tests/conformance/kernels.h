// The kernels of the conformance suite: one PTX module, small enough to read.
//
// Thread safety: immutable.
#ifndef GRAPHD_TESTS_CONFORMANCE_KERNELS_H_
#define GRAPHD_TESTS_CONFORMANCE_KERNELS_H_

namespace graphd {

extern const char kConformanceKernels[];

// Where `store_word` stores, as a fault reports it: a line of the module.
int StoreWordLine();

// The first values of the module's variables.
inline constexpr unsigned kCounterStart = 7;
inline constexpr unsigned kTable[4] = {11, 22, 33, 44};

// rotate_block declares .maxntid and this much shared memory.
inline constexpr unsigned kRotateThreads = 64;
inline constexpr unsigned kRotateSharedBytes = 256;

}  // namespace graphd

#endif  // GRAPHD_TESTS_CONFORMANCE_KERNELS_H_
