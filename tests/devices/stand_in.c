/* A stand-in for the OpenCL loader: hands every call on to the real one ($REAL_OPENCL), but for the $FAIL_CALL-th,
   which fails as a driver's does ($FAIL_STATUS; out of resources); with $FAIL_ALL so do all after it. $COUNT_FILE gets
   how many calls there were. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void* real(const char* name) {
  static void* library;
  if (library == NULL) library = dlopen(getenv("REAL_OPENCL"), RTLD_NOW | RTLD_LOCAL);
  return library != NULL ? dlsym(library, name) : NULL;
}

static long calls;

static void write_count(void) {
  const char* path = getenv("COUNT_FILE");
  FILE* file = path != NULL ? fopen(path, "w") : NULL;
  if (file == NULL) return;
  fprintf(file, "%ld", calls);
  fclose(file);
}

static int fails(void) {
  const char* number = getenv("FAIL_CALL");
  const long at = number != NULL ? atol(number) : 0;
  if (calls == 0) atexit(write_count);
  ++calls;
  return at > 0 && (calls == at || (calls > at && getenv("FAIL_ALL") != NULL));
}

static cl_int status(void) {
  const char* number = getenv("FAIL_STATUS");
  return number != NULL ? atoi(number) : CL_OUT_OF_RESOURCES;
}

#define GIVES_STATUS(name, parameters, arguments) \
  cl_int name parameters { return fails() ? status() : ((cl_int(*) parameters)real(#name))arguments; }
#define GIVES_OBJECT(type, name, parameters, arguments)              \
  type name parameters {                                             \
    if (!fails()) return ((type(*) parameters)real(#name))arguments; \
    if (errcode != NULL) *errcode = status();                        \
    return NULL;                                                     \
  }

GIVES_STATUS(clGetPlatformIDs, (cl_uint n, cl_platform_id* ids, cl_uint* count), (n, ids, count))
GIVES_STATUS(clGetPlatformInfo, (cl_platform_id p, cl_platform_info what, size_t n, void* to, size_t* size),
             (p, what, n, to, size))
GIVES_STATUS(clGetDeviceIDs, (cl_platform_id p, cl_device_type t, cl_uint n, cl_device_id* ids, cl_uint* count),
             (p, t, n, ids, count))
GIVES_STATUS(clGetDeviceInfo, (cl_device_id d, cl_device_info what, size_t n, void* to, size_t* size),
             (d, what, n, to, size))
GIVES_OBJECT(cl_context, clCreateContext,
             (const cl_context_properties* properties, cl_uint n, const cl_device_id* devices,
              void(CL_CALLBACK* notify)(const char*, const void*, size_t, void*), void* data, cl_int* errcode),
             (properties, n, devices, notify, data, errcode))
GIVES_STATUS(clReleaseContext, (cl_context c), (c))
GIVES_OBJECT(cl_command_queue, clCreateCommandQueue,
             (cl_context c, cl_device_id d, cl_command_queue_properties properties, cl_int* errcode),
             (c, d, properties, errcode))
GIVES_STATUS(clReleaseCommandQueue, (cl_command_queue q), (q))
GIVES_OBJECT(cl_mem, clCreateBuffer, (cl_context c, cl_mem_flags flags, size_t n, void* host, cl_int* errcode),
             (c, flags, n, host, errcode))
GIVES_STATUS(clReleaseMemObject, (cl_mem m), (m))
GIVES_STATUS(clEnqueueWriteBuffer,
             (cl_command_queue q, cl_mem m, cl_bool wait, size_t at, size_t n, const void* from, cl_uint events,
              const cl_event* list, cl_event* event),
             (q, m, wait, at, n, from, events, list, event))
GIVES_STATUS(clEnqueueReadBuffer,
             (cl_command_queue q, cl_mem m, cl_bool wait, size_t at, size_t n, void* to, cl_uint events,
              const cl_event* list, cl_event* event),
             (q, m, wait, at, n, to, events, list, event))
GIVES_OBJECT(cl_program, clCreateProgramWithSource,
             (cl_context c, cl_uint n, const char** texts, const size_t* lengths, cl_int* errcode),
             (c, n, texts, lengths, errcode))
GIVES_OBJECT(cl_program, clCreateProgramWithBinary,
             (cl_context c, cl_uint n, const cl_device_id* devices, const size_t* lengths, const unsigned char** images,
              cl_int* each, cl_int* errcode),
             (c, n, devices, lengths, images, each, errcode))
GIVES_STATUS(clGetProgramInfo, (cl_program p, cl_program_info what, size_t n, void* to, size_t* size),
             (p, what, n, to, size))
GIVES_STATUS(clBuildProgram,
             (cl_program p, cl_uint n, const cl_device_id* devices, const char* options,
              void(CL_CALLBACK* notify)(cl_program, void*), void* data),
             (p, n, devices, options, notify, data))
GIVES_STATUS(clGetProgramBuildInfo,
             (cl_program p, cl_device_id d, cl_program_build_info what, size_t n, void* to, size_t* size),
             (p, d, what, n, to, size))
GIVES_STATUS(clReleaseProgram, (cl_program p), (p))
GIVES_OBJECT(cl_kernel, clCreateKernel, (cl_program p, const char* name, cl_int* errcode), (p, name, errcode))
GIVES_STATUS(clReleaseKernel, (cl_kernel k), (k))
GIVES_STATUS(clSetKernelArg, (cl_kernel k, cl_uint i, size_t n, const void* value), (k, i, n, value))
GIVES_STATUS(clEnqueueNDRangeKernel,
             (cl_command_queue q, cl_kernel k, cl_uint dims, const size_t* first, const size_t* all,
              const size_t* group, cl_uint events, const cl_event* list, cl_event* event),
             (q, k, dims, first, all, group, events, list, event))
GIVES_STATUS(clFinish, (cl_command_queue q), (q))
GIVES_STATUS(clFlush, (cl_command_queue q), (q))
GIVES_STATUS(clWaitForEvents, (cl_uint n, const cl_event* events), (n, events))
GIVES_STATUS(clReleaseEvent, (cl_event event), (event))
