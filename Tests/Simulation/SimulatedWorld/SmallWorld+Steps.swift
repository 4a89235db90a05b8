import CausewayHubRules
import CausewayModels
import CausewayOutbox
import CausewaySimulatedHub
import CausewayStorage

/// The possible next steps of a small world.
extension SmallWorld {
    /// An event, with its parcel or message.
    enum Step: Hashable {
        // Steps of a good world
        case create
        case arrives(Int)
        case responded(Int, Cut?)
        case timesOut(Int, Cut?)
        case authenticated(Cut?)
        case deadline(Cut?)
        // Acts of users
        case delete(Int, Cut?)
        case resend(Int)
        case logIn
        /// A failed message that pauses its lane is deleted.
        case tidy(Int)
        // Faults
        case requestLost(Int)
        case answerLost(Int)
        case arrivesTwice(Int)
        case late(Int)
        case lateAnswer(Int)
        case unreachable(Int)
        case busy(Int)
        case tryLater(Int)
        case refused(Int)
        case rateLimited(Int)
        case actionRequired(Int)
        case hubRestarts(Int)
        case notGreeted
        case notGreetedForAttention
        case logOut
        case confirmed(Int)
        case crash(RestartPolicy)
    }

    /// A crash of the process after this number of actions, and its restart.
    struct Cut: Hashable {
        var actions: Int
        var policy: RestartPolicy
    }

    /// The next step when everything works; `nil` when nothing is left to do.
    var goodStep: Step? {
        if let index = wire.firstIndex(where: { $0.stage == .request && $0.isAwaited }) { return .arrives(index) }
        if let index = wire.firstIndex(where: { $0.isAnswer }) { return .responded(index, nil) }
        if isProbing { return .authenticated(nil) }
        if let index = wire.firstIndex(where: { $0.stage == .lost }) { return .timesOut(index, nil) }
        if let index = wire.firstIndex(where: { $0.stage == .request }) { return .arrives(index) }
        if created < size.lanes.count { return .create }
        if outbox?.nextDeadline != nil { return .deadline(nil) }
        // From here on only a user can help.
        if !hasSession { return .logIn }
        return pausing.map { .tidy($0) }
    }

    /// The number of a failed message that pauses a lane in which a message waits.
    private var pausing: Int? {
        guard size.headFailure == .pauseLane, store.hasEntries, let pause = store.pauses.first else { return nil }
        return Int(pause.message.value.low)
    }

    /// All possible next steps, including the good one.
    var steps: [Step] {
        var steps: [Step] = []
        if created < size.lanes.count { steps.append(.create) }
        for (index, parcel) in wire.enumerated() { steps += self.steps(of: parcel, index) }
        if isProbing { steps.append(.authenticated(nil)) }
        if outbox?.nextDeadline != nil { steps.append(.deadline(nil)) }
        if actsLeft > 0 {
            for number in 1..<(created + 1) {
                guard let message = store.items[Self.message(number)] else { continue }
                steps.append(.delete(number, nil))
                if message.syncState == .error { steps.append(.resend(number)) }
            }
        }
        if let goodStep, !steps.contains(goodStep) { steps.append(goodStep) }
        guard faultsLeft > 0 else { return steps }
        if isProbing { steps.append(.notGreeted) }
        if isProbing, size.hasAttention { steps.append(.notGreetedForAttention) }
        if hasSession, size.hasSessions { steps.append(.logOut) }
        for policy in RestartPolicy.allCases { steps.append(.crash(policy)) }
        for number in 1..<(created + 1) where hub.holds(Self.message(number)) {
            if outbox?.awaitsConfirmation(of: Self.message(number)) == true { steps.append(.confirmed(number)) }
        }
        return steps
    }

    private func steps(of parcel: Parcel, _ index: Int) -> [Step] {
        switch parcel.stage {
        case .request:
            guard faultsLeft > 0 else { return [.arrives(index)] }
            var steps: [Step] = [.arrives(index), .requestLost(index), .arrivesTwice(index), .hubRestarts(index)]
            if parcel.isAwaited {
                steps += [.late(index), .unreachable(index), .busy(index), .tryLater(index), .refused(index)]
                steps.append(.rateLimited(index))
                if size.hasAttention { steps.append(.actionRequired(index)) }
            }
            return steps
        case .answer:
            guard faultsLeft > 0, parcel.isAwaited else { return [.responded(index, nil)] }
            return [.responded(index, nil), .answerLost(index), .lateAnswer(index)]
        case .lost: return [.timesOut(index, nil)]
        }
    }

    /// Returns the world after the step.
    ///
    /// - Returns: also the number of actions that its client performed: it may crash before each of them.
    func after(_ step: Step) -> (world: SmallWorld, actions: Int) {
        var world = self
        var now = MonotonicTime.zero
        let actions: Int
        switch step {
        case .deadline(let cut):
            now = outbox?.nextDeadline ?? .zero
            actions = world.take(.deadline, at: now, cut)
        default: actions = world.occur(step)
        }
        world.makeCanonical(at: now)
        return (world, actions)
    }

    private mutating func occur(_ step: Step) -> Int {
        switch step {
        case .create: return create()
        case .arrives(let index): arriveAndAnswer(index)
        case .responded(let index, let cut): return answer(index, cut)
        case .timesOut(let index, let cut):
            let batch = wire.remove(at: index).batch
            return fail(batch, .inDoubt(detail: ""), cut)
        case .authenticated(let cut):
            isProbing = false
            return take(.authenticated, at: .zero, cut)
        case .delete(let number, let cut): return delete(Self.message(number), cut)
        case .resend(let number): return resend(Self.message(number))
        case .logIn: return logIn()
        case .tidy(let number): return delete(Self.message(number), nil)
        case .deadline: break
        default:
            faultsLeft -= 1
            return strike(step)
        }
        return 0
    }

    private mutating func strike(_ step: Step) -> Int {
        switch step {
        case .requestLost(let index):
            if wire[index].isAwaited { wire[index].stage = .lost } else { wire.remove(at: index) }
        case .answerLost(let index): wire[index].stage = .lost
        case .arrivesTwice(let index):
            for operation in wire[index].batch.operations { expected.records[operation.message]?.isRepeated = true }
            var copy = wire[index]
            copy.isAwaited = false
            wire.append(copy)
            arriveAndAnswer(index)
        case .late(let index):
            wire[index].isAwaited = false
            return fail(wire[index].batch, .inDoubt(detail: ""), nil)
        case .lateAnswer(let index):
            wire[index].isAwaited = false
            return fail(wire[index].batch, .inDoubt(detail: ""), nil)
        case .unreachable(let index): return fail(wire.remove(at: index).batch, .unreachable(detail: ""), nil)
        case .busy(let index): return fail(wire.remove(at: index).batch, .transient(code: "", detail: ""), nil)
        case .rateLimited(let index):
            return fail(wire.remove(at: index).batch, .rateLimited(after: .seconds(1), detail: ""), nil)
        case .actionRequired(let index):
            let actionRequired = ActionRequired(cause: .certificate, detail: "")
            return fail(wire.remove(at: index).batch, .actionRequired(actionRequired), nil)
        case .tryLater(let index): arrive(index, verdict: .tryLater(code: "", detail: "", after: nil))
        case .refused(let index): arrive(index, verdict: .refuse(code: "", detail: ""))
        case .hubRestarts(let index):
            // After its transaction; before it, the request is lost.
            arriveAndAnswer(index)
            hub.restart()
            if index < wire.count, wire[index].isAwaited { wire[index].stage = .lost }
        case .notGreeted:
            isProbing = false
            return take(.probeFailed(.unreachable(detail: "")), at: .zero)
        case .notGreetedForAttention:
            isProbing = false
            return take(.probeFailed(.actionRequired(ActionRequired(cause: .certificate, detail: ""))), at: .zero)
        case .logOut: logOut()
        case .confirmed(let number):
            let id = Self.message(number)
            guard let serverPosition = hub.accepted[id]?.serverPosition else { return 0 }
            return take(.confirmed(id, serverPosition), at: .zero)
        case .crash(let policy): crash(policy)
        default: preconditionFailure("not a fault")
        }
        return 0
    }

    // MARK: - One step each

    private mutating func create() -> Int {
        created += 1
        let id = Self.message(created)
        let lane = size.lanes[created - 1]
        let parent = size.parents[created].map(Self.message)
        let message = store.enqueue(
            OperationDraft(
                id: id, channel: WorldNames.channels[0], sender: WorldNames.users[0],
                payload: .create(WorldNames.content(created, isMedia: false), parent: parent),
                createdAt: Self.wall, lane: lane))
        expected.created.append(id)
        expected.records[id] = ExpectedState.Record(
            client: 0, channel: WorldNames.channels[0], sender: WorldNames.users[0], parent: parent,
            sequences: [message.laneSequence], ordinal: message.ordinal,
            turns: [message.laneSequence: message.laneSequence])
        waiting.insert(id)
        return take(.enqueued(store.takeFeed()), at: .zero)
    }

    /// The response to a copy is ignored.
    private mutating func arriveAndAnswer(_ index: Int) {
        arrive(index)
        if !wire[index].isAwaited { wire.remove(at: index) }
    }

    private mutating func answer(_ index: Int, _ cut: Cut?) -> Int {
        let parcel = wire.remove(at: index)
        guard case .answer(let result) = parcel.stage, parcel.isOfThisProcess else { return 0 }
        if cut != nil, parcel.isAwaited { expected.noteFailedAttempt(parcel.batch) }
        switch result {
        case .success(let report):
            var batch = parcel.batch
            if plantedFault == .lateAnswersAccepted, !parcel.isAwaited, let current = openBatch(like: batch) {
                batch = current
            }
            return take(.responded(batch, report), at: .zero, cut)
        case .failure(let error):
            guard parcel.isAwaited else { return 0 }
            return fail(parcel.batch, error, cut)
        }
    }

    /// For `lateAnswersAccepted`.
    private mutating func openBatch(like batch: Batch) -> Batch? {
        let index = wire.firstIndex {
            $0.isAwaited && $0.batch.lane == batch.lane && $0.batch.operations.count == batch.operations.count
        }
        return index.map { wire.remove(at: $0).batch }
    }

    private mutating func fail(_ batch: Batch, _ error: TransportError, _ cut: Cut?) -> Int {
        expected.noteFailure(batch, error)
        return take(.failed(batch, error), at: .zero, cut)
    }

    /// Processes an event up to the crash, and restarts after it.
    mutating func take(_ event: OutboxEvent, at now: MonotonicTime, _ cut: Cut?) -> Int {
        guard let cut else { return take(event, at: now) }
        faultsLeft -= 1
        take(event, at: now, actionsMax: cut.actions)
        if violation == nil { crash(cut.policy) }
        return 0
    }
}

extension SmallWorld.Step {
    /// The step with a crash; `nil` for one that cannot have one.
    func cut(_ cut: SmallWorld.Cut) -> Self? {
        switch self {
        case .responded(let index, nil): .responded(index, cut)
        case .timesOut(let index, nil): .timesOut(index, cut)
        case .authenticated(nil): .authenticated(cut)
        case .deadline(nil): .deadline(cut)
        case .delete(let number, nil): .delete(number, cut)
        default: nil
        }
    }
}

extension SmallWorld.Parcel {
    var isAnswer: Bool {
        if case .answer = stage { true } else { false }
    }
}
