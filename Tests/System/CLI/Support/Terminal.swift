import CausewayTestSupport
import Foundation
import Synchronization

/// A terminal of its own with a program on it: a real pseudo-terminal, and its visible content.
final class Terminal: Sendable {
    /// Settings as `stty -g` prints them.
    struct Settings: Equatable {
        let input: tcflag_t
        let output: tcflag_t
        let local: tcflag_t
        let control: tcflag_t
    }

    /// The side of the terminal that shows; shared with the thread that reads it, which must not retain the terminal.
    private final class Display: Sendable {
        struct State {
            var screen: ScreenModel
            var isStalled = false
        }

        let master: Int32
        let state: Mutex<State>
        let isReleased = DispatchSemaphore(value: 0)

        init(_ master: Int32, _ screen: ScreenModel) {
            self.master = master
            state = Mutex(State(screen: screen))
        }

        deinit { close(master) }

        func read() {
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                if state.withLock({ $0.isStalled }) { isReleased.wait() }
                let count = unsafe Foundation.read(master, &buffer, buffer.count)
                guard count > 0 else { break }
                state.withLock { $0.screen.take(buffer[..<count]) }
            }
        }
    }

    private let child: ChildProcess
    private let display: Display
    /// Kept open, so that the settings outlive the program.
    private let slave: Int32

    var pid: Int32 { child.pid }

    /// Starts a program on a new terminal, as the leader of its session.
    ///
    /// - Parameter before: the text on the terminal before the start.
    init(
        _ program: Program, _ arguments: [String], environment: [String: String], columns: Int = 100, rows: Int = 12,
        before: String = ""
    ) throws {
        let (master, path) = try Self.openMaster()
        let slave = unsafe open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard slave >= 0 else { throw POSIXError(.ENOTTY) }
        self.slave = slave
        var screen = ScreenModel(columns: columns, rows: rows)
        screen.take(Array(before.utf8))
        let display = Display(master, screen)
        self.display = display
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = unsafe ioctl(master, UInt(TIOCSWINSZ), &size)
        child = try ChildProcess(program.path, arguments, environment: environment, files: .terminal(path))
        Thread.detachNewThread { display.read() }
    }

    /// Returns a new pseudo-terminal, and the path of the side on which programs run.
    private static func openMaster() throws -> (master: Int32, path: String) {
        // Linux's own names for `unlockpt` and `ptsname`, which Swift does not import.
        let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
        let master = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (lock, number): (Int32, UInt32) = (0, 0)
        guard master >= 0, unsafe ioctl(master, setLock, &lock) == 0, unsafe ioctl(master, getNumber, &number) == 0
        else { throw POSIXError(.ENOTTY) }
        return (master, "/dev/pts/\(number)")
    }

    /// The settings of every new terminal.
    static func settingsOfANewOne() throws -> Settings {
        let (master, _) = try openMaster()
        defer { close(master) }
        return settings(of: master)
    }

    private static func settings(of descriptor: Int32) -> Settings {
        var found = termios()
        _ = unsafe tcgetattr(descriptor, &found)
        return Settings(input: found.c_iflag, output: found.c_oflag, local: found.c_lflag, control: found.c_cflag)
    }

    var screen: ScreenModel { display.state.withLock { $0.screen } }

    var settings: Settings { Self.settings(of: slave) }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe write(display.master, bytes, bytes.count)
    }

    func resize(columns: Int, rows: Int) {
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        display.state.withLock { $0.screen.resize(columns: columns, rows: rows) }
        _ = unsafe ioctl(display.master, UInt(TIOCSWINSZ), &size)
    }

    /// Stops reading the program's output, as when a connection hangs.
    func stall() { display.state.withLock { $0.isStalled = true } }

    /// False when a writer would block.
    var takesMore: Bool {
        var place = pollfd(fd: slave, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&place, 1, 0) > 0
    }

    /// Waits until a row contains all of these parts.
    @discardableResult
    func shows(_ parts: String...) async throws -> Int {
        var row: Int?
        try await Eventually.holds("\(parts) in:\n\(screen.text)") {
            row = screen.rows.firstIndex { row in parts.allSatisfy(row.contains) }
            return row != nil
        }
        return row ?? -1
    }

    /// Waits for the program's end.
    ///
    /// - Returns: the exit status, or 128 and the signal that ended it.
    func ended() async throws -> Int32 {
        try await Eventually.holds("the end of the program; it shows:\n\(screen.text)") { child.status != nil }
        return await child.ended()
    }

    deinit {
        // Without the program and this descriptor the reading thread comes to its end.
        child.kill(SIGKILL)
        close(slave)
        display.isReleased.signal()
    }
}
