import Causeway
import CausewayModels
import CausewayOutbox
import CausewaySimulatedRuntime
import CausewaySimulationKernel
import CausewayStorage

/// Devices: clients are opened, crash, are closed, are copied; clocks jump.
extension World {
    func open(_ device: Int) async {
        let process = processes.count
        let disk = devices[device].disk
        processes.append(ClientProcess(device: device, disk: disk))
        devices[device].process = process
        tally.openings += 1
        var configuration = ClientConfiguration()
        configuration.ordering = orderingTold(device)
        configuration.restart = isLikely(plan.devices[device].resumeLikelihood) ? .resume : .fail
        configuration.outbox = outboxTold(device)
        let inner: any Store
        switch disk.store {
        case .success(let store): inner = store
        case .failure(let error):
            return violated(.opening, "the store of device \(device) cannot be opened: \(error)")
        }
        noteOpening(of: disk)
        tell(.opens, device, process) { "device \(device): process \(process) opens (\(configuration.restart))" }
        let store = DeviceStore(world: self, process: process, disk: disk, inner: inner)
        processes[process].store = store
        follow(process, store)
        var transports = TransportRegistry()
        transports.register("test") { [self] _, token in makeTransport(process, token) }
        do {
            let client = try await CausewayClient.open(
                store: store, transports: transports, credentials: devices[device].credentials,
                runtime: DeviceRuntime(world: self, device: device), configuration: configuration,
                renewToken: renewal(process))
            guard processes[process].life == .opening else { return await client.close() }
            processes[process].client = client
            processes[process].confirmed = processes[process].transports
            processes[process].lacksToken =
                processes[process].transports.isEmpty && devices[device].session?.isActive == true
            processes[process].life = .running
            if plan.hasEvents { openLists(process, client) }
            if plan.watchesStatus { watchStatus(process, client) }
            tell(.opened, device, process) { "device \(device): process \(process) is open" }
        } catch {
            guard processes[process].life == .opening else { return }
            tell(.opened, device, -1) { "device \(device): process \(process) cannot open: \(error)" }
            if isHealed { violated(.opening, "device \(device) cannot be opened on a good disk: \(error)") }
            leave(process, disk.afterCrash())
        }
    }

    /// The ordering policy that the client is given.
    private func orderingTold(_ device: Int) -> OrderingPolicy {
        switch plan.plantedFault {
        case .textWaitsForMedia: .strict
        case .mediaOvertakesText: .laned
        default: plan.devices[device].ordering
        }
    }

    /// The outbox configuration that the client is given.
    private func outboxTold(_ device: Int) -> OutboxConfiguration {
        var told = plan.devices[device].outbox
        switch plan.plantedFault {
        case .neverGivesUp:
            told.retry = RetryPolicy(interval: .milliseconds(10), retriesMax: 1_000_000, intervalMax: .milliseconds(10))
        case .totalIgnored: told.deliveriesInFlightTotalMax = 1_000
        case .probesInCircles:
            told.probeInterval = .milliseconds(10)
            told.probeIntervalMax = .milliseconds(10)
        default: break
        }
        return told
    }

    /// The client's way to another token; `nil` if a user logs in.
    private func renewal(_ process: Int) -> (@Sendable (Session) async throws -> AccessToken)? {
        guard plan.renewsTokens else { return nil }
        return { [self] session in
            let accounts = plan.devices[processes[process].device].accounts
            let account = accounts.first { self.account(of: "\($0)") == session.user }
            guard let token = AccessToken(makeToken(account ?? accounts[0])) else { throw CancellationError() }
            return token
        }
    }

    private func makeTransport(_ process: Int, _ token: AccessToken) -> SimulatedTransport {
        let transport = SimulatedTransport(world: self, process: process, token: token.text)
        processes[process].transports.append(transport)
        reasonsToAsk += 1
        return transport
    }

    /// Returns the running process of the device and its client; `nil` while there is none.
    func running(_ device: Int) -> (process: Int, client: CausewayClient)? {
        guard let process = devices[device].process, processes[process].life == .running,
            let client = processes[process].client
        else { return nil }
        return (process, client)
    }

    func isRunning(_ process: Int) -> Bool { processes[process].life == .running }

    // MARK: - Ends

    /// Ends the process between two steps; its uncommitted changes are lost.
    func crash(_ process: Int) {
        guard processes[process].isWitnessed else { return }
        tell(.crashes, processes[process].device, process) {
            "device \(processes[process].device): process \(process) crashes"
        }
        countUploads(of: process, as: \.crashesInUploads)
        noteCutOff(process)
        let disk = processes[process].beforeLastCommit ?? processes[process].disk.afterCrash()
        leave(process, disk)
    }

    /// Ends a process with its machine: what the disk has not confirmed is gone.
    func losePower(_ process: Int) {
        guard processes[process].isWitnessed,
            let disk = processes[process].confirmedDisk ?? diskAfterPowerFailure(process)
        else { return }
        tell(.crashes, processes[process].device, process) {
            "device \(processes[process].device): its power is cut"
        }
        noteCutOff(process)
        leave(process, disk)
    }

    /// Copies the store and opens the copy; the process continues with the original for a while.
    func copy(_ process: Int) {
        guard processes[process].life == .running else { return }
        let device = processes[process].device
        tell(.crashes, device, -process) { "device \(device): process \(process) goes on beside a copy of its store" }
        noteCopy(of: device)
        detach(process, as: .isCopied, processes[process].disk.afterCrash())
        after(between(.milliseconds(100), .seconds(90))) { [self] in bury(process) }
    }

    /// Closes the client and opens it again.
    func close(_ process: Int) async {
        guard processes[process].life == .running, let client = processes[process].client else { return }
        tell(.closes, processes[process].device, process) {
            "device \(processes[process].device): process \(process) is closed"
        }
        processes[process].life = .closing
        await client.close()
        guard processes[process].life == .closing else { return }
        if processes[process].hasFailedClosing { noteCutOff(process) }
        for transport in processes[process].transports { transport.retire() }
        leave(process, processes[process].disk.afterCrash())
    }

    func leave(_ process: Int, _ disk: any DeviceDisk) {
        detach(process, as: .dead, disk)
        bury(process)
    }

    private func detach(_ process: Int, as life: ClientProcess.Life, _ disk: any DeviceDisk) {
        let device = processes[process].device
        processes[process].life = life
        let feed = processes[process].mirrorFeed
        processes[process].mirrorFeed = nil
        feed?.cancel()
        noteMaintenance(of: processes[process].disk)
        devices[device].disk = disk
        devices[device].process = nil
        guard !isOver else { return }
        let pause = isHealed ? Duration.milliseconds(10) : between(.zero, .seconds(5))
        runtime.spawn { [self] in
            await pass(pause)
            await open(device)
        }
    }

    /// Discards the rest of a dead process, so that none of it stays in memory.
    private func bury(_ process: Int) {
        processes[process].life = .dead
        for transport in processes[process].transports { transport.die() }
        let client = processes[process].client
        processes[process].client = nil
        runtime.spawn { await client?.close() }
    }

    // MARK: - Faults

    /// Lets faults strike a device by the clock, until the faults end.
    func befall(_ device: Int) async {
        while !isHealed, runtime.now < plan.faultsEnd {
            await pass(between(.milliseconds(50), .seconds(4)))
            if strikes(.clockJump) { jumpClock(device) }
            if strikes(.diskFull) { devices[device].diskFullUntil = runtime.now + between(.seconds(1), .seconds(20)) }
            if strikes(.slowDisk) { devices[device].diskSlowUntil = runtime.now + between(.seconds(1), .seconds(10)) }
            guard let process = devices[device].process else { continue }
            if strikes(.crash) {
                crash(process)
            } else if isRunning(process), strikes(.copyGoesOn) {
                copy(process)
            } else if isRunning(process), strikes(.restart) {
                await close(process)
            }
        }
    }

    private func jumpClock(_ device: Int) {
        let seconds = [1, 60, 86_400, 400 * 86_400][between(0, 3)]
        devices[device].clockOffset += .seconds(isLikely(500) ? seconds : -seconds)
    }
}
