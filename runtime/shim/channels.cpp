// Channels between a TensorFlow graph and the host code of its process.
//
//   TfxChannel(address) -> resource     the queue of one start of a program, which the host made
//   QueueEnqueueV2, QueueDequeueV2      TensorFlow's own operations, on such a queue
//   tfx_channel_send, ..._receive       the host's ends, without a run of the session
//
// The queue never blocks a thread of TensorFlow's: an operation that must wait leaves its callback,
// which the other side calls, or TensorFlow, when the run is cancelled.
// `runtime/src/ffi/channels.rs` declares the functions again; `docs/runtime.md` says when these
// channels are used.

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

/// How long a thread of the host that waits stays awake: about what it costs to put it to sleep and
/// to wake it again, as in `runtime/channel`.
constexpr std::chrono::microseconds kAwake{10};

/// Looks at the channel between two looks at the clock.
constexpr int kLooks = 8;

/// Lets the other thread of a core work.
inline void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// What came of an attempt of the host; the numbers are those of `channels.rs`.
enum Tried { kDone = 0, kMustWait = 1, kClosed = 2 };

class Channel : public tensorflow::QueueInterface {
public:
  Channel(DataType type, size_t capacity) : types_{type}, capacity_(capacity) {}

  // -------------------------------------------------------------------------------------------------
  // the host's ends

  Tried Send(const Tensor &value, bool wait) {
    std::unique_lock<std::mutex> lock(mutex_);
    for (bool awake = true; !closed_ && values_.size() >= capacity_; Wait(lock, &awake)) {
      if (!wait)
        return kMustWait;
    }
    if (closed_)
      return kClosed;
    if (takers_.empty()) {
      values_.push_back(value);
      Changed();
      return kDone;
    }
    Waiter taker = Pop(takers_);
    lock.unlock();
    Finish(std::move(taker), {value});
    return kDone;
  }

  Tried Receive(Tensor *value, bool wait) {
    std::unique_lock<std::mutex> lock(mutex_);
    for (bool awake = true; !closed_ && values_.empty(); Wait(lock, &awake)) {
      if (!wait)
        return kMustWait;
    }
    if (values_.empty())
      return kClosed;
    *value = TakeFirst(lock);
    return kDone;
  }

  /// Nothing more goes in, and everyone who waits is woken. What is in it can still be received,
  /// unless it is discarded. Operations of the graph that wait are TensorFlow's to cancel; there
  /// are none once its run has ended.
  void Close(bool discard) {
    std::deque<Tensor> dropped; // Outside the lock, since elements may be the host's.
    std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
    if (discard)
      dropped.swap(values_);
    Changed();
  }

  /// How often operations of the graph had to wait, and for how many nanoseconds.
  void Waits(uint64_t *times, uint64_t *nanoseconds) {
    std::lock_guard<std::mutex> lock(mutex_);
    *times = waits_;
    *nanoseconds = waited_.count();
  }

  // ------------------------------------------------------------------------------------------------
  // the graph's ends

  void TryEnqueue(const Tuple &tuple, OpKernelContext *context, DoneCallback callback) override {
    std::unique_lock<std::mutex> lock(mutex_);
    if (closed_) {
      lock.unlock();
      context->SetStatus(Ended());
      callback();
    } else if (values_.size() < capacity_) {
      values_.push_back(tuple[0]);
      Changed();
      lock.unlock();
      callback();
    } else {
      Leave(givers_, lock, context, tuple[0], [callback](const Tuple &) { callback(); });
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
      Leave(takers_, lock, context, Tensor(), std::move(callback));
    }
  }

  absl::Status ValidateTuple(const Tuple &tuple) override {
    if (tuple.size() == 1 && tuple[0].dtype() == types_[0])
      return absl::OkStatus();
    return absl::InvalidArgumentError("a channel carries one tensor of its type");
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

  // What a graph of ours has no operations for.
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
  /// An operation of the graph that waits.
  struct Waiter {
    OpKernelContext *context;
    CancellationToken token;
    Tensor value; // What it gives; empty where it takes.
    CallbackWithTuple callback;
    Clock::time_point since;
  };

  static absl::Status Ended() { return absl::CancelledError("the program was cancelled"); }

  static absl::Status NoSuchOperation() {
    return absl::UnimplementedError("a channel takes and gives one value at a time");
  }

  /// Waits until something has changed: awake for a moment, once, and then asleep.
  void Wait(std::unique_lock<std::mutex> &lock, bool *awake) {
    const uint64_t seen = changes_.load(std::memory_order_relaxed);
    if (std::exchange(*awake, false) && std::thread::hardware_concurrency() > 1) {
      lock.unlock();
      const Clock::time_point end = Clock::now() + kAwake;
      do {
        for (int look = 0; look < kLooks && changes_.load(std::memory_order_relaxed) == seen;
             ++look) {
          Pause();
        }
      } while (changes_.load(std::memory_order_relaxed) == seen && Clock::now() < end);
      lock.lock();
    }
    ++asleep_;
    sleepers_.wait(lock, [this, seen] { return changes_.load(std::memory_order_relaxed) != seen; });
    --asleep_;
  }

  /// Wakes the threads of the host that wait. With the lock.
  void Changed() {
    changes_.fetch_add(1, std::memory_order_relaxed);
    if (asleep_ > 0)
      sleepers_.notify_all();
  }

  /// The first value; an operation that waited for room puts its own in. Gives the lock back.
  Tensor TakeFirst(std::unique_lock<std::mutex> &lock) {
    Tensor value = std::move(values_.front());
    values_.pop_front();
    if (givers_.empty()) {
      Changed();
      lock.unlock();
      return value;
    }
    Waiter giver = Pop(givers_);
    values_.push_back(std::move(giver.value));
    Changed();
    lock.unlock();
    Finish(std::move(giver), {});
    return value;
  }

  /// Leaves an operation to wait, unless its run is cancelled already. Gives the lock back.
  void Leave(std::deque<Waiter> &waiters, std::unique_lock<std::mutex> &lock,
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

  /// The first that waits; the wait is over.
  Waiter Pop(std::deque<Waiter> &waiters) {
    Waiter waiter = std::move(waiters.front());
    waiters.pop_front();
    ++waits_;
    waited_ += std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - waiter.since);
    return waiter;
  }

  /// Lets an operation go on that is out of its list, so that nobody else does. Without the lock: a
  /// cancellation that is under way takes it.
  static void Finish(Waiter waiter, const Tuple &tuple) {
    waiter.context->cancellation_manager()->DeregisterCallback(waiter.token);
    waiter.callback(tuple);
  }

  /// Lets an operation fail whose run is cancelled, if it still waits.
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
  int asleep_ = 0;                   // Threads of the host that sleep.
  std::atomic<uint64_t> changes_{0}; // Written with the lock; read without it by who waits awake.
  bool closed_ = false;
  std::deque<Tensor> values_;
  std::deque<Waiter> takers_; // Of the graph: there are some only while there is no value.
  std::deque<Waiter> givers_; // Of the graph: there are some only while there is no room.
  uint64_t waits_ = 0;
  std::chrono::nanoseconds waited_{0};
};

/// Gives the graph the channel at an address, which the host feeds when it starts the program, and
/// which it keeps until the run has ended.
class ChannelOp : public tensorflow::OpKernel {
public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext *context) override {
    auto *channel =
        reinterpret_cast<tensorflow::QueueInterface *>(context->input(0).scalar<int64_t>()());
    Tensor *handle = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, {}, &handle));
    channel->Ref(); // The handle's own.
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

/// The TensorFlow whose headers this was compiled with, which do not say it themselves: with no
/// other is it used.
const char *tfx_channels_tensorflow() { return TFX_TENSORFLOW_VERSION; }

/// A channel of tensors of a type (`TF_DataType`), for so many messages. The address goes to
/// `TfxChannel`, and to the functions below.
tensorflow::QueueInterface *tfx_channel_new(int type, size_t capacity) {
  return new Channel(static_cast<DataType>(type), capacity);
}

/// The host needs the channel no more.
void tfx_channel_delete(tensorflow::QueueInterface *channel) { channel->Unref(); }

/// Sends the elements of a tensor, which stays the caller's; `wait` says whether to wait for room.
int tfx_channel_send(tensorflow::QueueInterface *channel, TF_Tensor *tensor, bool wait) {
  return static_cast<Channel *>(channel)->Send(tensorflow::TensorFromInterface(tensor->tensor),
                                               wait);
}

/// Receives a tensor, which is the caller's from then on; `wait` says whether to wait for one.
int tfx_channel_receive(tensorflow::QueueInterface *channel, TF_Tensor **tensor, bool wait) {
  Tensor value;
  Tried tried = static_cast<Channel *>(channel)->Receive(&value, wait);
  if (tried == kDone)
    *tensor = new TF_Tensor{new tensorflow::TensorInterface(std::move(value))};
  return tried;
}

/// The channel takes nothing more; with `discard` it gives nothing more, either.
void tfx_channel_close(tensorflow::QueueInterface *channel, bool discard) {
  static_cast<Channel *>(channel)->Close(discard);
}

/// How often operations of the graph had to wait, and for how many nanoseconds.
void tfx_channel_waits(tensorflow::QueueInterface *channel, uint64_t *times,
                       uint64_t *nanoseconds) {
  static_cast<Channel *>(channel)->Waits(times, nanoseconds);
}

} // extern "C"
