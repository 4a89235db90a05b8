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

    private struct State {
        var screen: ScreenModel
        var isClosed = false
        var isStalled = false
        var status: Int32?
    }

    let pid: Int32
    private let master: Int32
    /// Kept open, so that the settings outlive the program.
    private let slave: Int32
    private let state: Mutex<State>
    private let never = DispatchSemaphore(value: 0)

    /// Starts a program on a new terminal, as the leader of its session.
    ///
    /// - Parameter before: the text on the terminal before the start.
    init(
        _ program: Program, _ arguments: [String], _ environment: [String: String], columns: Int = 100, rows: Int = 12,
        before: String = ""
    ) throws {
        let (master, path) = try Self.openMaster()
        let slave = unsafe open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard slave >= 0 else { throw POSIXError(.ENOTTY) }
        self.master = master
        self.slave = slave
        var screen = ScreenModel(columns: columns, rows: rows)
        screen.take(Array(before.utf8))
        state = Mutex(State(screen: screen))
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = unsafe ioctl(master, UInt(TIOCSWINSZ), &size)
        pid = try Self.spawn(program.path, arguments, environment, on: path)
        Thread.detachNewThread { [self] in read() }
        Thread.detachNewThread { [self] in
            var status: Int32 = 0
            while unsafe waitpid(pid, &status, 0) < 0, errno == EINTR {}
            state.withLock { $0.status = status }
        }
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

    /// Starts a process in a session of its own, whose first opened terminal becomes its controlling terminal.
    private static func spawn(
        _ path: String, _ arguments: [String], _ environment: [String: String], on terminal: String
    ) throws -> Int32 {
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, 0, 1)
        unsafe posix_spawn_file_actions_adddup2(&actions, 0, 2)
        let setsid: Int16 = 0x80
        unsafe posix_spawnattr_setflags(&attributes, setsid)
        var argv = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
        var envp = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
        defer {
            for index in unsafe argv.indices { unsafe free(argv[index]) }
            for index in unsafe envp.indices { unsafe free(envp[index]) }
        }
        var pid: pid_t = 0
        let result = unsafe posix_spawn(&pid, path, &actions, &attributes, &argv, &envp)
        guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: result) ?? .ENOEXEC) }
        return pid
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            if state.withLock({ $0.isStalled }) { never.wait() }
            let count = unsafe Foundation.read(master, &buffer, buffer.count)
            guard count > 0 else { break }
            state.withLock { $0.screen.take(buffer[..<count]) }
        }
        state.withLock { $0.isClosed = true }
    }

    var screen: ScreenModel { state.withLock { $0.screen } }
    /// The status of the ended program as `waitpid` reports it; `nil` while it runs.
    var status: Int32? { state.withLock { $0.status } }

    var settings: Settings { Self.settings(of: slave) }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe write(master, bytes, bytes.count)
    }

    func resize(columns: Int, rows: Int) {
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        state.withLock { $0.screen.resize(columns: columns, rows: rows) }
        _ = unsafe ioctl(master, UInt(TIOCSWINSZ), &size)
    }

    /// Stops reading the program's output, as when a connection hangs.
    func stall() { state.withLock { $0.isStalled = true } }

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
    func ended() async throws -> Int32 {
        try await Eventually.holds("the end of the program; it shows:\n\(screen.text)") { status != nil }
        return status ?? 0
    }

    deinit {
        if status == nil { kill(pid, SIGKILL) }
        close(slave)
        close(master)
    }
}
