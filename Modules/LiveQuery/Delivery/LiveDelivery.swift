package import CausewayRuntime

/// Schedules turns of the main actor.
package protocol LiveDelivery: Sendable {
    /// Runs `turn` on the main actor, soon, once, and never before this returns.
    func schedule(_ turn: @escaping @MainActor @Sendable () -> Void)
}

/// Delivery on the main actor itself.
package struct MainActorDelivery: LiveDelivery {
    private let runtime: any Runtime

    package init(_ runtime: any Runtime) { self.runtime = runtime }

    package func schedule(_ turn: @escaping @MainActor @Sendable () -> Void) {
        // The task starts on the main actor: from anywhere else it would have to hop there first.
        runtime.spawn { @MainActor in turn() }
    }
}
