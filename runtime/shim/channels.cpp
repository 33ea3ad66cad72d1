// Channels between a TensorFlow graph and the host code of its process.
//
//   TfxChannel(address) -> resource     the queue for one start of a program; the host creates it
//   QueueEnqueueV2, QueueDequeueV2      TensorFlow's operations, on such a queue
//   tfx_channel_send, ..._receive       the host's end, without a session run per message
//
// The queue never blocks a TensorFlow thread: an operation that must wait registers its callback.
// The host calls it, or TensorFlow does if the run is cancelled.
// `runtime/src/ffi/channels.rs` declares the same functions. `docs/runtime.md` describes when the
// runtime uses these channels.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "tensorflow/c/tf_tensor_internal.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/queue_interface.h"
#include "tensorflow/core/framework/resource_handle.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace {

using tensorflow::CancellationManager;
using tensorflow::CancellationToken;
using tensorflow::DataType;
using tensorflow::OpKernelContext;
using tensorflow::Tensor;

using Clock = std::chrono::steady_clock;

/// The time that a waiting host thread spins before it sleeps: about the cost of a sleep and a
/// wake-up, as in `runtime/channel`.
constexpr std::chrono::microseconds kSpinTime{10};

/// The number of polls of the channel between two reads of the clock.
constexpr int kPolls = 8;

/// Yields the core to its other hardware thread.
inline void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// The outcome of a send or a receive of the host. `channels.rs` has the same numbers.
enum Tried { kDone = 0, kMustWait = 1, kClosed = 2 };

class Channel : public tensorflow::QueueInterface {
public:
  Channel(DataType type, size_t capacity) : types_{type}, capacity_(capacity) {}

  //===-- The host's end -----------------------------------------------===//

  Tried Send(const Tensor &value, bool wait) {
    std::unique_lock<std::mutex> lock(mutex_);
    for (bool spin = true; !closed_ && values_.size() >= capacity_; Wait(lock, &spin)) {
      if (!wait)
        return kMustWait;
    }
    if (closed_)
      return kClosed;
    if (dequeuers_.empty()) {
      values_.push_back(value);
      NotifyChange();
      return kDone;
    }
    Waiter dequeuer = Pop(dequeuers_);
    lock.unlock();
    Finish(std::move(dequeuer), {value});
    return kDone;
  }

  Tried Receive(Tensor *value, bool wait) {
    std::unique_lock<std::mutex> lock(mutex_);
    for (bool spin = true; !closed_ && values_.empty(); Wait(lock, &spin)) {
      if (!wait)
        return kMustWait;
    }
    if (values_.empty())
      return kClosed;
    *value = TakeFirst(lock);
    return kDone;
  }

  /// Closes the channel for sends and wakes all waiting host threads. The remaining messages can
  /// still be received unless `discard` is set. TensorFlow cancels waiting operations of the graph;
  /// after the run has ended, none are left.
  void Close(bool discard) {
    std::deque<Tensor> dropped; // Destroyed without the lock: the host may own the elements.
    std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
    if (discard)
      dropped.swap(values_);
    NotifyChange();
  }

  /// Stores how often operations of the graph waited, and for how many nanoseconds in total.
  void Waits(uint64_t *times, uint64_t *nanoseconds) {
    std::lock_guard<std::mutex> lock(mutex_);
    *times = waits_;
    *nanoseconds = waited_.count();
  }

  //===-- The graph's end ----------------------------------------------===//

  void TryEnqueue(const Tuple &tuple, OpKernelContext *context, DoneCallback callback) override {
    std::unique_lock<std::mutex> lock(mutex_);
    if (closed_) {
      lock.unlock();
      context->SetStatus(Ended());
      callback();
    } else if (values_.size() < capacity_) {
      values_.push_back(tuple[0]);
      NotifyChange();
      lock.unlock();
      callback();
    } else {
      Suspend(enqueuers_, lock, context, tuple[0], [callback](const Tuple &) { callback(); });
    }
  }

  void TryDequeue(OpKernelContext *context, CallbackWithTuple callback) override {
    std::unique_lock<std::mutex> lock(mutex_);
    if (!values_.empty()) {
      Tensor value = TakeFirst(lock);
      callback({std::move(value)});
    } else if (closed_) {
      lock.unlock();
      context->SetStatus(Ended());
      callback({});
    } else {
      Suspend(dequeuers_, lock, context, Tensor(), std::move(callback));
    }
  }

  absl::Status ValidateTuple(const Tuple &tuple) override {
    if (tuple.size() == 1 && tuple[0].dtype() == types_[0])
      return absl::OkStatus();
    return absl::InvalidArgumentError("expected one tensor of the channel's type");
  }

  const tensorflow::DataTypeVector &component_dtypes() const override { return types_; }

  int32_t size() const override {
    std::lock_guard<std::mutex> lock(mutex_);
    return static_cast<int32_t>(values_.size());
  }

  bool is_closed() const override {
    std::lock_guard<std::mutex> lock(mutex_);
    return closed_;
  }

  // The graphs that tfx emits have no operations that call these functions.
  absl::Status ValidateManyTuple(const Tuple &) override { return NoSuchOperation(); }
  absl::Status MatchesNodeDef(const tensorflow::NodeDef &) override { return NoSuchOperation(); }
  void TryEnqueueMany(const Tuple &, OpKernelContext *context, DoneCallback callback) override {
    context->SetStatus(NoSuchOperation());
    callback();
  }
  void TryDequeueMany(int, OpKernelContext *context, bool, CallbackWithTuple callback) override {
    context->SetStatus(NoSuchOperation());
    callback({});
  }
  void Close(OpKernelContext *context, bool, DoneCallback callback) override {
    context->SetStatus(NoSuchOperation());
    callback();
  }

private:
  /// A waiting operation of the graph.
  struct Waiter {
    OpKernelContext *context;
    CancellationToken token;
    Tensor value; // The message of an enqueue; empty for a dequeue.
    CallbackWithTuple callback;
    Clock::time_point since;
  };

  static absl::Status Ended() { return absl::CancelledError("the program was cancelled"); }

  static absl::Status NoSuchOperation() {
    return absl::UnimplementedError("a channel transfers one value at a time");
  }

  /// Waits for a change. The first call of a loop spins for a while before it sleeps; `spin` is
  /// then cleared.
  void Wait(std::unique_lock<std::mutex> &lock, bool *spin) {
    const uint64_t seen = changes_.load(std::memory_order_relaxed);
    if (std::exchange(*spin, false) && std::thread::hardware_concurrency() > 1) {
      lock.unlock();
      const Clock::time_point end = Clock::now() + kSpinTime;
      do {
        for (int poll = 0; poll < kPolls && changes_.load(std::memory_order_relaxed) == seen;
             ++poll) {
          Pause();
        }
      } while (changes_.load(std::memory_order_relaxed) == seen && Clock::now() < end);
      lock.lock();
    }
    ++sleeping_;
    sleepers_.wait(lock, [this, seen] { return changes_.load(std::memory_order_relaxed) != seen; });
    --sleeping_;
  }

  /// Wakes all waiting host threads. The caller holds the lock.
  void NotifyChange() {
    changes_.fetch_add(1, std::memory_order_relaxed);
    if (sleeping_ > 0)
      sleepers_.notify_all();
  }

  /// Removes and returns the first message, completes the first waiting enqueue, and releases the
  /// lock.
  Tensor TakeFirst(std::unique_lock<std::mutex> &lock) {
    Tensor value = std::move(values_.front());
    values_.pop_front();
    if (enqueuers_.empty()) {
      NotifyChange();
      lock.unlock();
      return value;
    }
    Waiter enqueuer = Pop(enqueuers_);
    values_.push_back(std::move(enqueuer.value));
    NotifyChange();
    lock.unlock();
    Finish(std::move(enqueuer), {});
    return value;
  }

  /// Registers a waiting operation, or fails it if its run is already cancelled. Releases the lock
  /// in the second case only.
  void Suspend(std::deque<Waiter> &waiters, std::unique_lock<std::mutex> &lock,
               OpKernelContext *context, Tensor value, CallbackWithTuple callback) {
    CancellationManager *manager = context->cancellation_manager();
    CancellationToken token = manager->get_cancellation_token();
    if (manager->RegisterCallback(token, [this, &waiters, token] { Cancel(waiters, token); })) {
      waiters.push_back({context, token, std::move(value), std::move(callback), Clock::now()});
      return;
    }
    lock.unlock();
    context->SetStatus(Ended());
    callback({});
  }

  /// Removes the first waiting operation and records the duration of its wait.
  Waiter Pop(std::deque<Waiter> &waiters) {
    Waiter waiter = std::move(waiters.front());
    waiters.pop_front();
    ++waits_;
    waited_ += std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - waiter.since);
    return waiter;
  }

  /// Completes an operation that was removed from its list, so that no other thread completes it.
  /// The caller must not hold the lock: a concurrent cancellation takes it, and deregistration
  /// waits for that cancellation.
  static void Finish(Waiter waiter, const Tuple &tuple) {
    waiter.context->cancellation_manager()->DeregisterCallback(waiter.token);
    waiter.callback(tuple);
  }

  /// Fails an operation whose run is cancelled, if it still waits.
  void Cancel(std::deque<Waiter> &waiters, CancellationToken token) {
    std::unique_lock<std::mutex> lock(mutex_);
    for (auto waiter = waiters.begin(); waiter != waiters.end(); ++waiter) {
      if (waiter->token != token)
        continue;
      Waiter cancelled = std::move(*waiter);
      waiters.erase(waiter);
      lock.unlock();
      cancelled.context->SetStatus(Ended());
      cancelled.callback({});
      return;
    }
  }

  const tensorflow::DataTypeVector types_;
  const size_t capacity_;
  mutable std::mutex mutex_;
  std::condition_variable sleepers_;
  int sleeping_ = 0;                 // The number of sleeping host threads.
  std::atomic<uint64_t> changes_{0}; // Written with the lock; spinning threads read it without.
  bool closed_ = false;
  std::deque<Tensor> values_;
  std::deque<Waiter> dequeuers_; // Of the graph; empty unless there is no message.
  std::deque<Waiter> enqueuers_; // Of the graph; empty unless the channel is full.
  uint64_t waits_ = 0;
  std::chrono::nanoseconds waited_{0};
};

/// Converts the address of a channel to a resource handle. The host feeds the address when it
/// starts the program, and keeps the channel alive until the run has ended.
class ChannelOp : public tensorflow::OpKernel {
public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext *context) override {
    auto *channel =
        reinterpret_cast<tensorflow::QueueInterface *>(context->input(0).scalar<int64_t>()());
    Tensor *handle = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, {}, &handle));
    channel->Ref(); // The handle owns this reference.
    handle->scalar<tensorflow::ResourceHandle>()() =
        tensorflow::ResourceHandle::MakeRefCountingHandle(channel, context->device()->name());
  }
};

REGISTER_OP("TfxChannel")
    .Input("address: int64")
    .Output("channel: resource")
    .SetIsStateful()
    .SetShapeFn(tensorflow::shape_inference::ScalarShape);

REGISTER_KERNEL_BUILDER(Name("TfxChannel").Device(tensorflow::DEVICE_CPU), ChannelOp);

} // namespace

extern "C" {

/// Returns the version of the TensorFlow headers at compile time, since the headers do not define
/// it. The runtime uses the shim with this version only.
const char *tfx_channels_tensorflow() { return TFX_TENSORFLOW_VERSION; }

/// Creates a channel for tensors of a type (`TF_DataType`). Its address is the input of
/// `TfxChannel` and an argument of the functions below.
tensorflow::QueueInterface *tfx_channel_new(int type, size_t capacity) {
  return new Channel(static_cast<DataType>(type), capacity);
}

/// Releases the host's reference to the channel.
void tfx_channel_delete(tensorflow::QueueInterface *channel) { channel->Unref(); }

/// Sends a tensor, which the caller keeps. With `wait`, blocks while the channel is full.
int tfx_channel_send(tensorflow::QueueInterface *channel, TF_Tensor *tensor, bool wait) {
  return static_cast<Channel *>(channel)->Send(tensorflow::TensorFromInterface(tensor->tensor),
                                               wait);
}

/// Receives a tensor, which the caller then owns. With `wait`, blocks while the channel is empty.
int tfx_channel_receive(tensorflow::QueueInterface *channel, TF_Tensor **tensor, bool wait) {
  Tensor value;
  Tried tried = static_cast<Channel *>(channel)->Receive(&value, wait);
  if (tried == kDone)
    *tensor = new TF_Tensor{new tensorflow::TensorInterface(std::move(value))};
  return tried;
}

/// Closes the channel for sends; with `discard`, also drops the messages that it holds.
void tfx_channel_close(tensorflow::QueueInterface *channel, bool discard) {
  static_cast<Channel *>(channel)->Close(discard);
}

/// Stores how often operations of the graph waited, and for how many nanoseconds in total.
void tfx_channel_waits(tensorflow::QueueInterface *channel, uint64_t *times,
                       uint64_t *nanoseconds) {
  static_cast<Channel *>(channel)->Waits(times, nanoseconds);
}

} // extern "C"
