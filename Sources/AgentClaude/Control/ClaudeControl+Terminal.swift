internal import HostCore
internal import RelayProtocol

/// The person at the terminal, if there is one.
extension ClaudeControl {
    mutating func typed(_ line: String) {
        let words = TextCut.trim(line)
        guard !words.isEmpty else { return }
        if permissions.contains(where: { $0.firstNumber != nil }) { return answer(words) }
        switch phase {
        case .running:
            guard sent.count < limits.pendingMax else { return say("Too much waits already; this line was not sent.") }
            number += 1
            // The person at this terminal may use the agent's own commands.
            send(line, uuid: nextUUID(), nil, isCommand: line.hasPrefix("/"))
        case .starting: say("The agent is starting; this line was not sent.")
        case .stopping, .closing, .terminating, .over: say("The session is ending; this line was not sent.")
        }
    }

    mutating func interruptedHere() {
        guard phase == .running, standing != .idle else { return say("(Ctrl-D ends the session)") }
        // A key that is held down asks for one interrupt only.
        guard !asked.values.contains(where: \.isInterrupt) else { return }
        ask(.interrupt(nil)) { ControlLine.interrupt($0) }
    }

    // MARK: Permissions

    mutating func show(_ place: Int) {
        let permission = permissions[place]
        if let question = permission.question {
            say(VisibleText.prose(question.text))
        } else {
            let input = String(decoding: permission.input, as: UTF8.self)
            say("\(VisibleText.exactLine(permission.tool)) asks for permission:\n\(VisibleText.exact(input))")
            for warning in VisibleText.warnings(about: input) { say("! \(warning)") }
        }
        guard hasTerminal else { return say("(waiting for a client's decision)") }
        permissions[place].firstNumber = lastNumber + 1
        for choice in permission.choices {
            lastNumber += 1
            say("  \(lastNumber)  \(VisibleText.line(choice))")
        }
        guard !permission.questions.isEmpty else { return }
        say("A number, or the last number and then words of your own.")
    }

    /// Handles an answer typed at the terminal: `7`, or `7 because it is Friday`.
    private mutating func answer(_ words: String) {
        let parts = words.split(separator: " ", maxSplits: 1)
        let place = Int(parts[0]).flatMap { number in
            permissions.firstIndex { permission in
                permission.firstNumber.map { ($0..<$0 + permission.choices.count).contains(number) } ?? false
            }
        }
        guard let place, let number = Int(parts[0]), let first = permissions[place].firstNumber else {
            return say("Type one of the numbers in front of an open question, please; this line was not sent.")
        }
        let permission = permissions[place]
        let more = parts.count > 1 ? TextCut.trim(String(parts[1])) : nil
        if permission.form != nil { return fillIn(place, number, first: first, more) }
        guard permission.questions.isEmpty else { return answerQuestion(place, number - first, more) }
        if number == first {
            guard more == nil else { return say("Words go with a denial; nothing was sent.") }
            guard permission.canBeAllowed else { return say("What it asks could not be read; it can only be denied.") }
            answer(permission.request, ControlLine.allow(permission.request, input: permission.input))
        } else {
            let message = more.map(ControlPermission.words) ?? ControlPermission.stop
            answer(permission.request, ControlLine.deny(permission.request, message))
        }
    }

    /// Fills in the next field of a form.
    private mutating func fillIn(_ place: Int, _ number: Int, first: Int, _ more: String?) {
        let request = permissions[place].request
        switch permissions[place].form?.take(number, first: first, more) {
        case .notTaken(let why): say(why)
        case .next: show(place)
        case .filledIn(let content): answer(request, ControlLine.elicited(request, "accept", content: content))
        case .declined: answer(request, ControlLine.elicited(request, "decline"))
        case nil: break
        }
    }

    private mutating func answerQuestion(_ place: Int, _ choice: Int, _ words: String?) {
        let permission = permissions[place]
        let question = permission.questions[permission.answers.count]
        permissions[place].answers.append(words ?? question.choices[choice].label)
        guard permissions[place].answers.count == permission.questions.count else { return show(place) }
        answer(permission.request, ControlLine.allow(permission.request, input: permissions[place].answered()))
    }

    /// Sends an answer. The agent takes the first one; if another came sooner it ignores ours.
    mutating func answer(_ request: String, _ line: [UInt8]) {
        permissions.removeAll { $0.request == request }
        orders.append(.send(line))
    }

    // MARK: Words

    mutating func say(_ text: String) { orders.append(.show(text + "\n")) }

    mutating func ready() {
        if hasTerminal, standing == .idle { orders.append(.show("> ")) }
    }
}
