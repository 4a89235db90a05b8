import ArgumentParser
import Causeway
import CausewayCommandLine
import CausewayControlAPI
import CausewayDaemon
import Foundation

struct Send: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send a message, and print its id.",
        discussion: """
            Returns when the message is on disk: from then on it will be delivered, even if this program, \
            the daemon or the network fails. With --wait it returns when the message is on the server, or has failed \
            permanently: then the exit status is 1 and the reason is printed.

            The text is taken from the arguments, joined by spaces, or from standard input when there are none or \
            the only one is -. Write -- before a text that begins with a dash. With --lines each line of standard \
            input becomes a message, in order; blank lines are skipped, an invalid line is reported and the \
            others are sent (exit status 2). With --custom the input is a JSON object.

            Without a daemon it tries to deliver for --linger (10s) while the server is reachable, and reports \
            messages that stay in the outbox; the next command, or a daemon, continues with them.

            --image, --video, --audio and --file send a file; the text is its caption then, or --caption. The type \
            is determined by the content. The file is copied before this returns, and may change or go afterwards. \
            With --wait the progress of its upload is shown.

            --json prints {"ids":[…]}, and with --wait "results" with one object for each message.
            """)

    @Argument(help: "The channel.") var channel: ChannelArgument
    @Argument(help: ArgumentHelp("The text, or - for standard input.", valueName: "text")) var text: [String] = []
    @Flag(help: "Each line of standard input is a message.") var lines = false
    @Flag(help: "The input is JSON: a custom message.") var custom = false
    @Option(help: ArgumentHelp("Send this image.", valueName: "path")) var image: String?
    @Option(help: ArgumentHelp("Send this video.", valueName: "path")) var video: String?
    @Option(help: ArgumentHelp("Send this audio file.", valueName: "path")) var audio: String?
    @Option(help: ArgumentHelp("Send this file.", valueName: "path")) var file: String?
    @Option(help: ArgumentHelp("The caption of an image, a video or a file.", valueName: "text"))
    var caption: String?
    @Option(help: ArgumentHelp("The name that receivers see. (default: that of the file)", valueName: "name"))
    var name: String?
    @Option(
        help: ArgumentHelp(
            "A tiny preview of the file, at most 2 KiB, that travels with the message.", valueName: "path"))
    var preview: String?
    @Option(help: ArgumentHelp("The message to reply to.", valueName: "id")) var replyTo: MessageArgument?
    @Option(
        name: .customLong("tag"),
        help: ArgumentHelp("A tag of the message; up to \(Limits.tagsMax) times.", valueName: "tag"))
    var tags: [String] = []
    @Flag(help: "Return when the message is on the server, or failed.") var wait = false
    @Option(
        help: ArgumentHelp("With --wait: give up after this time, such as 30s; exit status 75.", valueName: "time"))
    var timeout: TimeLimit?
    @Option(
        help: ArgumentHelp(
            "Without a daemon: how long to try to deliver, such as 1m. (default: 10s)", valueName: "time"))
    var linger: TimeLimit?
    @OptionGroup var options: CommandOptions

    func validate() throws {
        if lines, !text.isEmpty, text != ["-"] { throw ValidationError("--lines reads standard input only.") }
        let files = [image, video, audio, file].compactMap { $0 }
        if files.count > 1 { throw ValidationError("One message has one file.") }
        if files.isEmpty, caption != nil || name != nil || preview != nil {
            throw ValidationError("--caption, --name and --preview require --image, --video, --audio or --file.")
        }
        if !files.isEmpty, lines || custom {
            throw ValidationError("A message with a file is neither --lines nor --custom.")
        }
        if caption != nil, !text.isEmpty { throw ValidationError("Give the caption once.") }
        if audio != nil, caption != nil || !text.isEmpty { throw ValidationError("An audio message has no caption.") }
        if timeout != nil, !wait { throw ValidationError("--timeout requires --wait.") }
    }

    private var readsInput: Bool { (media == nil && text.isEmpty) || text == ["-"] }

    private var media: (kind: OutgoingMedia.Kind, path: String)? {
        if let image { return (.image, image) }
        if let video { return (.video, video) }
        if let audio { return (.audio, audio) }
        return file.map { (.file, $0) }
    }

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            if readsInput, text.isEmpty, !lines, console.terminal.isInputTerminal {
                throw ControlError(.badRequest, "no text; give it after the channel, or - to read standard input")
            }
            let (outcome, outputProblem) = try await create(route, console)
            for problem in outcome.refused { console.note(problem) }
            if outcome.blankCount > 0 { console.note("blank lines skipped: \(outcome.blankCount)") }
            let delivery = await deliver(outcome.ids, route, console)
            if console.json { try report(outcome, delivery, console) }
            // The messages have priority: they were accepted and are delivered even if their ids cannot be printed.
            if let outputProblem { throw outputProblem }
            return status(outcome, delivery, console)
        }
    }

    // MARK: - Creating

    /// Enqueues the messages and prints their ids; an output error stops nothing.
    private func create(
        _ route: ControlEndpoint, _ console: Console
    ) async throws(ControlError) -> (outcome: BulkSender.Outcome, outputProblem: ControlError?) {
        let service = route.service
        var outputProblem: ControlError?
        let show = { (ids: [MessageID]) in
            guard !console.json, outputProblem == nil else { return }
            do throws(ControlError) { try console.print(ids.map(\.description)) } catch { outputProblem = error }
        }
        if let media {
            var outcome = BulkSender.Outcome()
            outcome.ids = try await send(media, route, console).ids
            show(outcome.ids)
            return (outcome, outputProblem)
        }
        let composer = MessageComposer(
            channel: try channel.id(), isCustom: custom, parent: try replyTo?.id(), tags: tags)
        guard lines else {
            var outcome = BulkSender.Outcome()
            let report = try await service.send([try composer.message(try await content())])
            outcome.ids = report.ids
            outcome.problem = report.problem?.error
            show(outcome.ids)
            return (outcome, outputProblem)
        }
        var count = 0
        let sender = BulkSender(service: service, composer: composer) { ids in
            count += ids.count
            show(ids)
            console.progress("\(count) messages accepted")
        }
        let outcome = await sender.send(LineInput(lineBytesMax: MessageComposer.inputBytesMax))
        console.endProgress()
        return (outcome, outputProblem)
    }

    private func send(
        _ media: (kind: OutgoingMedia.Kind, path: String), _ route: ControlEndpoint, _ console: Console
    ) async throws(ControlError) -> SendReport {
        var caption = caption
        if !text.isEmpty {
            guard let given = String(validating: try await content(), as: UTF8.self) else {
                throw ControlError(.badRequest, "the caption is not valid UTF-8")
            }
            caption = given
        }
        let message = OutgoingMedia(
            channel: try channel.id(), kind: media.kind, name: name ?? MediaFile.name(of: media.path),
            caption: caption, parent: try replyTo?.id(), tags: tags.isEmpty ? nil : tags,
            preview: try previewContent())
        try message.check()
        // The daemon may see other files than this program, or may not read this one: it gets the bytes.
        guard route.isDaemon else { return try await route.service.send(message, .path(media.path)) }
        let file = try MediaFile(media.path)
        let progress = TransferProgress(total: file.size)
        let report = try await route.service.send(
            message,
            .parts(size: file.size) {
                let part = try file.next()
                if let line = progress.line("copying", at: file.offset) { console.progress(line) }
                return part
            })
        console.endProgress()
        return report
    }

    private func previewContent() throws(ControlError) -> Data? {
        guard let preview else { return nil }
        let file = try MediaFile(preview)
        guard file.size <= Int64(Limits.previewBytesMax) else {
            throw ControlError(.messageInvalid, ContentProblem.previewTooLong(bytes: Int(file.size)).description)
        }
        return Data(try file.next() ?? [])
    }

    private func content() async throws(ControlError) -> Data {
        guard readsInput else { return Data(text.joined(separator: " ").utf8) }
        let input = try await StandardInput.all(bytesMax: MessageComposer.inputBytesMax)
        // The line end that `echo` adds is not part of the text.
        return input.last == UInt8(ascii: "\n") ? input.dropLast() : input
    }

    // MARK: - Delivering

    /// The outcomes of the messages that were accepted.
    private struct Delivery {
        var results: [DeliveryResultResponse]?
        var status = ExitStatus.ok
        /// The reason why the outcome is unknown, for example because the daemon stopped.
        var problem: ControlError?
    }

    private func deliver(_ ids: [MessageID], _ route: ControlEndpoint, _ console: Console) async -> Delivery {
        guard !ids.isEmpty else { return Delivery() }
        let waiter = ResultWaiter(service: route.service)
        if wait { return await waited(for: ids, waiter, console) }
        return route.isDaemon ? Delivery() : await lingered(over: ids, waiter, console)
    }

    private func waited(for ids: [MessageID], _ waiter: ResultWaiter, _ console: Console) async -> Delivery {
        var upload: TransferProgress?
        let outcome = await waiter.results(of: ids, within: timeout?.duration) { result in
            if let sent = result.wait?.sent, let total = result.wait?.total {
                let progress = upload ?? TransferProgress(total: total, from: sent)
                upload = progress
                if let line = progress.line("uploading", at: sent) { console.progress(line) }
            } else {
                console.progress("waiting: \(result.waitText ?? "…")")
            }
        }
        console.endProgress()
        for result in outcome.results { tell(result, console) }
        let status = SendExitStatus.exitStatus(of: outcome.results)
        return delivery(ids, outcome, status)
    }

    private func lingered(over ids: [MessageID], _ waiter: ResultWaiter, _ console: Console) async -> Delivery {
        let limit = linger?.duration ?? .seconds(CommandLineLimits.lingerSeconds)
        let outcome = await waiter.linger(over: ids, within: limit)
        let failed = outcome.results.filter { $0.outcome == .failed || $0.outcome == .deleted }
        for result in failed { tell(result, console) }
        let left = outcome.results.count { $0.outcome == .waiting }
        if left > 0 {
            let why = outcome.results.first { $0.outcome == .waiting }?.waitText.map { " (\($0))" } ?? ""
            console.note(
                "no daemon running: \(left == 1 ? "the message stays" : "\(left) messages stay") in the outbox\(why);"
                    + " the next command, or causewayd, continues with \(left == 1 ? "it" : "them")")
        }
        let status: ExitStatus = failed.isEmpty ? .ok : failed.count == ids.count ? .failedForGood : .partly
        var ended = delivery(ids, outcome, status)
        // Without --wait nobody has asked for the results.
        ended.results = nil
        return ended
    }

    /// - Parameter status: the exit status if everything is known.
    private func delivery(_ ids: [MessageID], _ outcome: ResultWaiter.Outcome, _ status: ExitStatus) -> Delivery {
        guard let problem = outcome.problem else { return Delivery(results: outcome.results, status: status) }
        var detail = problem.detail
        let unknown = ids.count - outcome.results.count
        if problem.code != .notFound {
            detail +=
                ids.count == 1
                ? "; the message was accepted and is in the outbox: see `causeway message \(ids[0])`"
                : "; \(Counted.messages(unknown)) accepted, with unknown delivery: see `causeway outbox`"
        }
        return Delivery(
            results: outcome.results, status: problem.code.exitStatus, problem: ControlError(problem.code, detail))
    }

    private func tell(_ result: DeliveryResultResponse, _ console: Console) {
        switch result.outcome {
        case .delivered: break
        case .failed: console.note("message \(result.id) failed: \(result.failure?.text ?? "no reason was given")")
        case .deleted: console.note("message \(result.id) was deleted before it was delivered")
        case .waiting: console.note("message \(result.id) is still waiting: \(result.waitText ?? "no reason given")")
        }
    }

    // MARK: - Reporting

    private struct Report: Encodable {
        let ids: [MessageID]
        let results: [DeliveryResultResponse]?
        let refused: [String]?
        let problem: ProblemDTO?
    }

    private func report(
        _ outcome: BulkSender.Outcome, _ delivery: Delivery, _ console: Console
    ) throws(ControlError) {
        let report = Report(
            ids: outcome.ids, results: delivery.results, refused: outcome.refused.isEmpty ? nil : outcome.refused,
            problem: (outcome.problem ?? delivery.problem).map(ProblemDTO.init))
        try console.report(report) { _ in [] }
    }

    private func status(_ outcome: BulkSender.Outcome, _ delivery: Delivery, _ console: Console) -> ExitStatus {
        if let problem = delivery.problem { console.report(problem) }
        if let problem = outcome.problem {
            console.report(problem)
            return outcome.ids.isEmpty ? problem.code.exitStatus : .partly
        }
        if !outcome.refused.isEmpty { return outcome.ids.isEmpty ? .badInput : .partly }
        return delivery.status
    }
}
