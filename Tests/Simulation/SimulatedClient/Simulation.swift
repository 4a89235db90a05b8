import Causeway
import CausewayModels
import CausewaySimulatedHub
import CausewaySimulatedRuntime
import CausewaySimulationKernel

/// One simulated history of clients, from a seed.
package struct Simulation: Sendable {
    package let plan: Plan
    package let tally: Tally
    /// The first violated invariant; `nil` when there was none.
    package let violation: String?
    /// The check that found it.
    package let brokenCheck: Check?
    /// The events as text; empty unless requested.
    package let history: [String]

    /// Runs the plan. The same plan gives the same history, in every build.
    ///
    /// - Parameter isTold: keeps the events as text; costs time.
    package static func run(_ plan: Plan, isTold: Bool = false) -> Simulation {
        let world = World(plan: plan, isTold: isTold)
        do {
            try world.runtime.run { await world.run() }
            world.isOver = true
            let end = world.runtime.now + Plan.wreckBound
            if try !world.runtime.finish(by: end) {
                world.violated(.ending, "something goes on after the end of everything")
            }
            world.checkWaitsEnded()
        } catch {
            world.violated(.progress, "\(error)")
        }
        world.dissolve()
        return world.outcome()
    }
}

extension World {
    /// Runs the phases of a run: faults, recovery, verification.
    func run() async {
        if plan.hasLosses { runtime.spawn { [self] in await befallHub() } }
        if plan.hasFiles { runtime.spawn { [self] in await watchOutboxes() } }
        for device in devices.indices {
            await open(device)
            if let (process, client) = running(device) { await logIn(client, process) }
            runtime.spawn { [self] in await befall(device) }
            for user in 0..<plan.devices[device].userCount {
                usersLeft += 1
                runtime.spawn { [self] in await live(user, on: device) }
            }
        }
        let end = plan.faultsEnd
        await runtime.wait(until: end) { [self] in usersLeft == 0 || violation != nil }
        await heal()
        await settle(isLast: false)
        if plan.hasLosses {
            await lookAround()
            await settle(isLast: false)
        }
        if violation == nil, await bringAccountsBack() { await settle(isLast: !plan.hasLosses) }
        if violation == nil, plan.hasLosses {
            await lookAround()
            await settle(isLast: true)
        }
        await checkQuietLists()
        await checkPromptness()
        if plan.hasFiles, violation == nil { await checkFiles() }
        isOver = true
        for device in devices.indices {
            guard let (process, client) = running(device) else { continue }
            processes[process].life = .closing
            await client.close()
            for transport in processes[process].transports { transport.retire() }
        }
    }

    /// Waits until everything has ended, and checks the result.
    private func settle(isLast: Bool) async {
        await rest()
        if violation == nil { await checkTheEnd(isLast: isLast) }
        // Parked messages wait for failed ones: a user deletes these, and nothing may remain.
        for _ in 0..<10
        where violation == nil && processes.contains(where: { $0.life == .running && $0.mirror.hasParked }) {
            for device in devices.indices {
                guard let (process, client) = running(device) else { continue }
                await deleteFailed(client, process, everything: true)
            }
            await rest()
            if violation == nil { await checkTheEnd(isLast: isLast) }
        }
        for device in devices.indices where violation == nil {
            guard let (process, _) = running(device) else { continue }
            if processes[process].mirror.hasParked {
                violated(.unparking, "device \(device): something stays parked for ever")
            }
        }
    }

    /// Ends all faults; a user logs in again on every device.
    private func heal() async {
        isHealed = true
        healedAt = runtime.now
        tell(.heals) { "-- from now on all is well" }
        network.outageUntil = .zero
        for device in devices.indices {
            devices[device].diskFullUntil = .zero
            devices[device].diskSlowUntil = min(devices[device].diskSlowUntil, runtime.now)
            devices[device].cutUntil = .zero
            devices[device].disk.failNextCommits(0, with: .closed)
            runtime.spawn { [self] in await putRight(device) }
        }
    }

    /// Performs the actions of a user where they are needed and nowhere else: resumes after a pause, deletes messages
    /// that pause a lane, and logs in where no session exists or the hub requires another token. Everything that time
    /// or the network can change is left to the client, which is not called otherwise: a call would wake it.
    private func putRight(_ device: Int) async {
        while true {
            await runtime.wait { [self] in isOver || violation != nil || needsUser(device) }
            if isOver || violation != nil { return }
            await pass(.seconds(2))
            guard let (process, client) = running(device) else { continue }
            if processes[process].mayBePaused { await resume(client, process) }
            if hasPausedLane(process) { await deleteFailed(client, process, everything: true) }
            if needsLogin(process) { await logIn(client, process) }
        }
    }

    /// True when nothing can go on before a user has acted.
    private func needsUser(_ device: Int) -> Bool {
        guard let (process, _) = running(device) else { return false }
        return processes[process].mayBePaused || hasPausedLane(process) || needsLogin(process)
    }

    private func hasPausedLane(_ process: Int) -> Bool {
        processes[process].mirror.pausing > 0 && !processes[process].mirror.isIdle
    }

    private func needsLogin(_ process: Int) -> Bool {
        devices[processes[process].device].session?.isActive != true || processes[process].lacksToken
            || !plan.renewsTokens && needsToken(process)
    }

    /// True when the hub will never accept the process's token; a temporary rejection by the hub ends by itself.
    private func needsToken(_ process: Int) -> Bool {
        guard let token = processes[process].tokenPresented else { return true }
        return network.refusedTokens[token] == .some(nil)
    }

    /// Waits until there is nothing left to do, and nothing happens for a while; for a bounded time.
    func rest() async {
        let deadline = runtime.now + Plan.settleBound
        while violation == nil {
            await runtime.wait(until: deadline) { [self] in isIdle || violation != nil }
            let activity = activity
            await pass(Plan.restDuration)
            if violation != nil || isIdle && activity == self.activity { return }
            if runtime.now > deadline {
                return violated(.settling, "not at its end after \(Plan.settleBound): \(toldUnrest())")
            }
        }
    }

    /// Grows with everything that is sent or stored.
    private var activity: Int { tally.calls + tally.commits + tally.openings }

    func outcome() -> Simulation {
        var tally = tally
        tally.seeds = 1
        tally.crowds = plan.isCrowded ? 1 : 0
        tally.steps = runtime.steps
        tally.virtualSeconds = Int(runtime.now.nanoseconds / 1_000_000_000)
        for (id, number) in expected.created.map({ ($0, expected.number($0)) }) {
            history.mix(number)
            history.mix(id.value.low)
            history.mix(Int(hub.accepted[id]?.serverPosition.position ?? 0))
        }
        history.mix(runtime.steps)
        tally.digest = history.hash
        return Simulation(
            plan: plan, tally: tally, violation: violation, brokenCheck: brokenCheck, history: history.text.lines)
    }
}
