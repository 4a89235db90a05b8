import Dispatch
import Foundation
import Synchronization

/// Ends the process when nothing is noted for five minutes: without a thread of the runtime no test can fail.
final class RuntimeWatch: Sendable {
    private let notes = Mutex(0)
    private let isOver = DispatchSemaphore(value: 0)

    init() {
        let thread = Thread { [self] in
            var last = -1
            while isOver.wait(timeout: .now() + .seconds(300)) == .timedOut {
                let present = notes.withLock { $0 }
                precondition(present != last, "all threads of the runtime are blocked")
                last = present
            }
        }
        thread.start()
    }

    func note() { notes.withLock { $0 += 1 } }

    func end() { isOver.signal() }
}
