internal import Consent
internal import RelayProtocol

/// Opens what a trusted device has sent to a host that seals, once its signature was verified; that signature covers the sealed
/// text.
struct SealedOpening {
    private let host: KeyID
    private let epochs: EpochBook
    private let lapsed: EpochNumber
    /// The key of the offered names; nil if nothing that is offered has a name now.
    private let names: AliasKey?
    private let crypto: ConsentCrypto

    /// Words sealed with epoch `lapsed` or an earlier one are refused.
    init(host: KeyID, epochs: EpochBook, after lapsed: EpochNumber, names: AliasKey?, _ crypto: ConsentCrypto) {
        (self.host, self.epochs, self.lapsed, self.names, self.crypto) = (host, epochs, lapsed, names, crypto)
    }

    enum Opened<Value> {
        case opened(Value)
        case refused(ConsentRefusal)
    }

    /// An error inside this file; callers get only its reason.
    private struct Refused: Error {
        let reason: ConsentRefusal
        init(_ reason: ConsentRefusal) { self.reason = reason }
    }

    // MARK: Commands

    /// The request as an agent can take it. `offer`: the session's, with the names that people know.
    func opened(_ request: SteeringRequest, offered offer: SteeringOffer?) -> Opened<SteeringRequest> {
        var opened = request
        do throws(Refused) {
            switch request.action {
            case .prompt(var prompt):
                prompt.text = try text(of: prompt, request, offer?.commands ?? [])
                opened.action = .prompt(prompt)
            case .launch(var launch):
                launch.project = try name(launch.project, among: offer?.projects?.map(\.name) ?? [])
                if let text = launch.text, !text.isEmpty { launch.text = try words(text, with: request) }
                opened.action = .launch(launch)
            case .ruleOff(let rule): opened.action = .ruleOff(try words(rule, with: request))
            case .ruleAdd(let text): opened.action = .ruleAdd(try words(text, with: request))
            case .ruleChange(let rule, let text):
                opened.action = .ruleChange(try words(rule, with: request), to: try words(text, with: request))
            // Without text the host's own file is tried.
            case .ruleTry(let text): if !text.isEmpty { opened.action = .ruleTry(try words(text, with: request)) }
            case .interrupt, .stop, .mode, .model, .askAll: break
            }
        } catch { return .refused(error.reason) }
        return .opened(opened)
    }

    /// The text of a prompt. If it is one of the agent's commands, that is an alias, and the rest is sealed.
    private func text(
        of prompt: SteeringAction.Prompt, _ request: SteeringRequest, _ commands: [String]
    ) throws(Refused) -> String {
        guard prompt.isCommand else { return try words(prompt.text, with: request) }
        let alias = prompt.command
        let command = try name(alias, among: commands)
        let rest = prompt.text.dropFirst(alias.count + 1)
        return rest.isEmpty ? command : "\(command) \(try words(String(rest), with: request))"
    }

    private func name(_ alias: String, among offered: [String]) throws(Refused) -> String {
        guard let names, let name = offered.first(where: { names.alias(of: $0) == alias }) else { throw Refused(.cannotOpen) }
        return name
    }

    func opened(_ keys: [UInt8], by call: ScreenCall) -> Opened<[UInt8]> {
        do throws(Refused) {
            guard let sealed = try? Sealed(parsing: keys, as: .words) else { throw Refused(.notSealed) }
            return .opened(try open(sealed, as: .words(with: call.command.rawValue), in: [call.session]))
        } catch { return .refused(error.reason) }
    }

    /// The request with its pictures as an agent can take them. `sessions`: those that they may have been sent to.
    func opened(picturesOf request: SteeringRequest, sentTo sessions: [SessionID]) -> Opened<SteeringRequest> {
        guard case .prompt(var prompt) = request.action else { return .opened(request) }
        do throws(Refused) {
            for place in prompt.pictures.indices { prompt.pictures[place] = try opened(prompt.pictures[place], sessions) }
        } catch { return .refused(error.reason) }
        var whole = request
        whole.action = .prompt(prompt)
        return .opened(whole)
    }

    private func opened(_ picture: Picture, _ sessions: [SessionID]) throws(Refused) -> Picture {
        guard picture.type == .sealed else { throw Refused(.notSealed) }
        guard let bytes = picture.content.flatMap(Base64URL.bytes(ofBase64:)),
            let sealed = try? Sealed(parsing: bytes, as: .picture)
        else { throw Refused(.cannotOpen) }
        let content = try open(sealed, as: .picture, in: sessions)
        guard let type = PictureType(of: content), PictureSize(of: content)?.isDrawable == true else {
            throw Refused(.cannotOpen)
        }
        return Picture(
            digest: picture.digest, type: type, bytes: content.count, content: Base64URL.base64(content))
    }

    private func words(_ text: String, with request: SteeringRequest) throws(Refused) -> String {
        try words(text, with: request.command.rawValue, in: request.session)
    }

    // MARK: Decisions

    /// Opens the sealed texts of a verdict; `questions` are as they were asked. A denial holds even if its message does not open.
    func opened(
        _ verdict: Decision.Verdict, on approval: ApprovalID, in session: SessionID, _ questions: [QuestionOffer]
    ) -> Opened<Decision.Verdict> {
        func read(_ text: String) throws(Refused) -> String { try words(text, with: approval.rawValue, in: session) }
        switch verdict {
        case .allow, .allowIn, .allowWith, .deny(nil), .denyWith(_, nil): return .opened(verdict)
        case .allowEdited(let edit):
            do throws(Refused) { return .opened(.allowEdited(try read(edit))) } catch { return .refused(error.reason) }
        case .deny(let message?): return .opened(.deny(message: try? read(message)))
        case .denyWith(let offer, let message?): return .opened(.denyWith(offer: offer, message: try? read(message)))
        case .answer(let answers):
            var opened: [Answer] = []
            do throws(Refused) {
                for answer in answers {
                    let text: String?
                    if let sealed = answer.text { text = try read(sealed) } else { text = nil }
                    opened.append(try named(answer, questions, text))
                }
            } catch { return .refused(error.reason) }
            return .opened(.answer(opened))
        }
    }

    /// The answer with the choices' names; the device has signed it with the choices' numbers in the head.
    private func named(_ answer: Answer, _ questions: [QuestionOffer], _ text: String?) throws(Refused) -> Answer {
        let choices = questions.first { $0.id == answer.question }?.choices ?? []
        // Any number may be sent; one without a choice is refused.
        let places = answer.choices.compactMap { name in choices.indices.first { name == String($0 + 1) } }
        guard places.count == answer.choices.count else { throw Refused(.notSealed) }
        return Answer(
            question: answer.question, choices: places.map { choices[$0] }, indexes: places.map(Int64.init), text: text)
    }

    private func words(_ text: String, with name: String, in session: SessionID) throws(Refused) -> String {
        guard Sealed.isSealed(text) else { throw Refused(.notSealed) }
        guard let sealed = try? Sealed(text: text, as: .words),
            let opened = String(validating: try open(sealed, as: .words(with: name), in: [session]), as: UTF8.self)
        else { throw Refused(.cannotOpen) }
        return opened
    }

    /// Opens a sealed text. A device that has not seen the newest key yet uses the one before it. If a device has been removed
    /// since, that one could read the text too.
    private func open(_ sealed: Sealed, as purpose: SealedPurpose, in sessions: [SessionID]) throws(Refused) -> [UInt8] {
        guard sealed.epoch > lapsed, let key = epochs.key(of: sealed.epoch) else { throw Refused(.cannotOpen) }
        for session in sessions {
            let seal = SessionSeal(of: session, host: host, key, epoch: sealed.epoch, crypto)
            if let opened = try? seal.open(sealed, as: purpose) { return opened }
        }
        throw Refused(.cannotOpen)
    }
}
