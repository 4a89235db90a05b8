import Causeway
import CausewayModels
import CausewaySimulatedRuntime
import CausewayStorage

/// The acts of users, several at once: only through the client's public API, without access to its internals.
extension World {
    /// Runs one user of a device.
    func live(_ user: Int, on device: Int) async {
        defer { usersLeft -= 1 }
        for _ in 0..<plan.actsOfEachUser where !isHealed && violation == nil {
            await pass(between(.zero, plan.actPauseMax))
            guard !isHealed, let (process, client) = running(device) else { continue }
            await act(client, process)
        }
    }

    private func act(_ client: CausewayClient, _ process: Int) async {
        let die = between(0, 99)
        tell(.acts, process, die) { "device \(processes[process].device): act \(die)" }
        switch die {
        case 0..<22: await create(client, process)
        case 22..<28: await edit(client, process)
        case 28..<34: await react(client, process)
        case 34..<44: for _ in 0..<between(2, 6) { await create(client, process) }
        case 44..<54: await deleteSome(client, process)
        case 54..<57: await deleteFailed(client, process)
        case 57..<66: await resendSome(client, process)
        case 66..<70: await resendAll(client, process)
        case 70..<74: await refresh(client, process)
        case 74..<77: await readChannel(client, process)
        case 77..<82: await readOutbox(client, process)
        case 82..<85: await readStatus(client, process)
        case 85..<88: await waitForSome(client, process)
        case 88..<90: await logOut(client, process)
        case 90..<94: await logIn(client, process)
        case 94..<96: await pause(client, process)
        case 96..<98: await resume(client, process)
        default: await client.probeNow()
        }
    }

    var channels: [ChannelID] { (0..<plan.channelCount).compactMap { ChannelID("channel\($0)") } }

    func anyChannel() -> ChannelID? { channels.randomElement(using: &dice) }

    // MARK: - Creating

    func create(_ client: CausewayClient, _ process: Int) async {
        guard let channel = anyChannel() else { return }
        messagesWritten += 1
        let text = "message \(messagesWritten)"
        let tags = messagesWritten.isMultiple(of: 3) ? ["tag \(messagesWritten % 2)"] : []
        if plan.hasFiles, Int.random(in: 0..<1000, using: &fileDice) < plan.mediaLikelihood {
            return await createFile(client, process, channel)
        }
        do throws(ClientError) {
            let handle: MessageHandle
            switch between(0, 9) {
            case 0..<4: handle = try await client.messages.createTextMessage(text, in: channel, tags: tags)
            case 4..<6:
                let parent = anyMessage(process) { $0.channel == channel }
                handle = try await client.messages.createTextMessage(
                    text, in: channel, parent: parent?.id, tags: tags)
            case 6:
                handle = try await client.messages.createCustomMessage(.object(["text": .string(text)]), in: channel)
            case 7 where !plan.hasFiles: return try await createMedia(process, text, channel)
            default: return try await createWithCompletion(client, process, text, channel)
            }
            guard isRunning(process) else { return }
            witnessAccepted(handle.message, process)
            if isLikely(500) { wait(for: handle, process, patience: isLikely(200) ? between(.zero, .seconds(5)) : nil) }
        } catch {
            witnessError(error, process)
        }
    }

    /// Sends a file, now and then one that was sent before.
    private func createFile(_ client: CausewayClient, _ process: Int, _ channel: ChannelID) async {
        let number = Int.random(in: 0..<8, using: &fileDice) == 0 ? max(1, messagesWritten / 2) : messagesWritten
        let path = ["sound", "picture"][number % 2] + " \(number)"
        do throws(ClientError) {
            let handle =
                if number.isMultiple(of: 2) {
                    try await client.messages.createAudioMessage(MediaSource(path: path), in: channel)
                } else {
                    try await client.messages.createFileMessage(MediaSource(path: path), in: channel)
                }
            guard isRunning(process) else { return }
            tally.mediaCreated += 1
            witnessAccepted(handle.message, process)
        } catch {
            witnessError(error, process)
        }
    }

    /// Inserts a media message into the store of a world without files.
    private func createMedia(_ process: Int, _ name: String, _ channel: ChannelID) async throws(ClientError) {
        let device = processes[process].device
        guard let store = processes[process].store, let session = devices[device].session, session.isActive else {
            return
        }
        let size = name.utf8.reduce(0) { $0 &* 31 &+ Int64($1) } & 63
        let content = MessageContent.audio(
            Attachment(name: name, contentType: "audio/ogg", size: size, sha256: "\(size)-\(name)"))
        let draft = MessageDraft(
            id: MessageID(DeviceRuntime(world: self, device: device).makeUUIDv7()), channel: channel,
            sender: session.user, content: content, createdAt: runtime.wallClock,
            lane: plan.devices[device].ordering.lane(for: content.type, in: channel))
        do throws(StoreError) {
            let message = try await store.enqueue(draft)
            tally.mediaCreated += 1
            if isRunning(process) { witnessAccepted(message, process) }
        } catch {
            throw .store(error)
        }
    }

    private func createWithCompletion(
        _ client: CausewayClient, _ process: Int, _ text: String, _ channel: ChannelID
    ) async throws(ClientError) {
        messagesWritten += 1
        let ticket = messagesWritten
        let handle = try await client.messages.createTextMessage(text, in: channel)
        let accountChanges = self.accountChanges(process)
        runtime.spawn { [self] in
            let result: Result<ServerPosition, DeliveryError>
            do throws(DeliveryError) {
                result = .success(try await handle.delivered())
            } catch {
                result = .failure(error)
            }
            let isOtherAccount = self.accountChanges(process) != accountChanges
            witnessCompletion(ticket, result, process, mayBeUnknown: isOtherAccount)
        }
        guard isRunning(process) else { return }
        witnessAccepted(handle.message, process)
        witnessCompletion(ticket, expectedOf: handle.id, process)
    }

    // MARK: - Waiting

    private func waitForSome(_ client: CausewayClient, _ process: Int) async {
        guard let message = anyMessage(process, where: { _ in true }) else { return }
        do throws(ClientError) {
            let handle = try await client.messages.handle(of: message.id)
            wait(for: handle, process, patience: isLikely(300) ? between(.zero, .seconds(20)) : nil)
        } catch {
            witnessError(error, process)
        }
    }

    /// Waits in a separate task; with `patience` the wait is cancelled after that time.
    func wait(for handle: MessageHandle, _ process: Int, patience: Duration?) {
        processes[process].waiting[handle.id, default: 0] += 1
        let accountChanges = self.accountChanges(process)
        let waiting = runtime.spawn { [self] in
            let result: Result<ServerPosition, DeliveryError>
            do throws(DeliveryError) {
                result = .success(try await handle.delivered())
            } catch {
                result = .failure(error)
            }
            let left = processes[process].waiting[handle.id, default: 1] - 1
            processes[process].waiting[handle.id] = left == 0 ? nil : left
            // A wait ends with the account that began it, also for a message that the next one has or created.
            let isOtherAccount = self.accountChanges(process) != accountChanges
            witnessResult(result, of: handle.id, process, mayBeUnknown: patience != nil || isOtherAccount)
        }
        if let patience { after(patience) { waiting.cancel() } }
    }

    /// How often the device of a process has changed its account: a wait ends with the account that began it.
    private func accountChanges(_ process: Int) -> Int { devices[processes[process].device].accountChanges }

    // MARK: - Deleting and resending

    func anyMessage(_ process: Int, where isWanted: (Message) -> Bool) -> Message? {
        processes[process].mirror.inOrder.compactMap(\.message).filter(isWanted).randomElement(
            using: &dice)
    }

    /// Any message or operation.
    private func anyItem(_ process: Int) -> StoredItem? {
        processes[process].mirror.inOrder.randomElement(using: &dice)
    }

    private func deleteSome(_ client: CausewayClient, _ process: Int) async {
        let ids = (0..<between(1, 3)).compactMap { _ in anyItem(process)?.id }
        guard !ids.isEmpty else { return }
        for id in ids { expected.records[id]?.isDeletionWanted = true }
        do throws(ClientError) {
            var deleted = ids
            if ids.count == 1 {
                try await client.messages.softDeleteMessage(ids[0])
            } else {
                deleted = try await client.messages.softDeleteMessages(ids, by: .cli)
            }
            guard isRunning(process) else { return }
            tally.deleted += deleted.count
            for id in deleted { witnessDeleted(id, process) }
        } catch {
            if case .messageNotFound = error { return }
            witnessError(error, process)
        }
    }

    func deleteFailed(_ client: CausewayClient, _ process: Int, everything: Bool = false) async {
        processes[process].bulkDeletions += 1
        defer { processes[process].bulkDeletions -= 1 }
        do throws(ClientError) {
            if !everything, isLikely(500), let channel = anyChannel() {
                tally.deleted += try await client.messages.deleteFailedMessages(in: channel)
            } else {
                tally.deleted += try await client.messages.deleteFailedMessages(by: .cli)
            }
        } catch {
            witnessError(error, process)
        }
    }

    private func resendSome(_ client: CausewayClient, _ process: Int) async {
        guard let message = anyMessage(process, where: { $0.syncState == .error || isLikely(50) }) else { return }
        do throws(ClientError) {
            if isLikely(500) {
                try await client.messages.resend(message.id)
            } else {
                // A double click.
                let resent = try await client.messages.resend([message.id, message.id])
                if resent.count > 1 {
                    violated(.doubleResend, "message \(expected.number(message.id)) was resent twice at once")
                }
            }
            tally.resent += 1
        } catch {
            switch error {
            case .messageNotFound, .notFailed, .overtaken, .notAuthor: break
            default: witnessError(error, process)
            }
        }
    }

    private func resendAll(_ client: CausewayClient, _ process: Int) async {
        do throws(ClientError) {
            tally.resent += try await client.messages.resendFailedMessages(in: isLikely(300) ? anyChannel() : nil)
        } catch {
            witnessError(error, process)
        }
    }

    // MARK: - Session

    func logIn(_ client: CausewayClient, _ process: Int, as wanted: Int? = nil) async {
        let accounts = plan.devices[processes[process].device].accounts
        let account = wanted ?? (isLikely(700) ? accounts[0] : accounts[between(0, accounts.count - 1)])
        guard let token = AccessToken(makeToken(account)) else { return }
        do throws(ClientError) {
            try await client.login(server: Self.address, token: token)
            guard isRunning(process) else { return }
            processes[process].lacksToken = false
            processes[process].confirmed = processes[process].transports.filter { $0.token == token.text }
        } catch {
            if case .sessionExists = error { return }
            if case .transport = error { return }
            witnessError(error, process)
        }
    }

    func logOut(_ client: CausewayClient, _ process: Int) async {
        let ending = processes[process].confirmed
        do throws(ClientError) {
            tally.logouts += 1
            let (first, enqueued) = (processes[process].logouts.count, processes[process].enqueued)
            checkLogout(try await client.logout(), process, since: first, enqueued)
            for transport in ending { transport.retire() }
        } catch {
            witnessError(error, process)
        }
    }

    func pause(_ client: CausewayClient, _ process: Int) async {
        let resumptions = processes[process].resumptions
        let isAlone = processes[process].resumptionsUnderWay == 0
        processes[process].mayBePaused = true
        do throws(ClientError) {
            try await client.pause()
            guard isRunning(process), processes[process].resumptions == resumptions, isAlone else { return }
            processes[process].pausedSince = runtime.now
        } catch {
            witnessError(error, process)
        }
    }

    func resume(_ client: CausewayClient, _ process: Int) async {
        processes[process].resumptions += 1
        processes[process].resumptionsUnderWay += 1
        defer { processes[process].resumptionsUnderWay -= 1 }
        processes[process].pausedSince = nil
        processes[process].mayBePaused = false
        do throws(ClientError) {
            try await client.resume()
        } catch {
            processes[process].mayBePaused = true
            witnessError(error, process)
        }
    }
}
