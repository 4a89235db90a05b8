import CausewayModels
import CausewayRuntime
import CausewaySimulatedRuntime

/// The runtime of one device: simulated time, and a wall clock that jumps.
struct DeviceRuntime: Runtime {
    let world: World
    let device: Int

    var now: MonotonicTime { world.runtime.now }
    var wallClock: Timestamp { world.runtime.wallClock.advanced(by: world.devices[device].clockOffset) }

    func random() -> UInt64 { world.runtime.random() }

    func sleep(until deadline: MonotonicTime) async {
        if world.lies(.losesTimers, oneIn: 50) { return await world.runtime.sleep(until: deadline + .seconds(86_400)) }
        let delay: Duration = world.strikes(.lateTimer) ? world.between(.milliseconds(1), Plan.lateTimerMax) : .zero
        await world.runtime.sleep(until: deadline + delay)
    }

    @discardableResult
    func spawn(_ body: @escaping @isolated(any) @Sendable () async -> Void) -> RuntimeTask {
        if world.lies(.startsTasksTwice, oneIn: 10) { world.runtime.spawn(body) }
        return world.runtime.spawn(body)
    }
}
