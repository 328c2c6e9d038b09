internal import HostCore
internal import RelayProtocol

/// The steps of typing, each taken when the screen shows that the one before has had its effect.
extension TypingMachine {
    mutating func goOn() {
        switch phase {
        case .waiting(let prompt, _): begin(prompt)
        case .settingAside(let prompt, _): setAside(prompt)
        case .typing(let prompt, _): enter(prompt)
        case .removing(let prompt, let why, let wasSeen, _): removed(prompt, why, wasSeen)
        case .givingBack(let prompt, let why, _): gaveBack(prompt, why)
        case .interrupting, .switching, .free, .entered, .settling, .stopping, .over: break
        }
        if case .switching(let name, let target, let from, let steps, _) = phase { step(name, target, from, steps) }
    }

    // MARK: A prompt

    private mutating func begin(_ prompt: Prompt) {
        guard isIdle, isQuiet, let box else { return }
        var prompt = prompt
        if !box.isEmpty, box.isStashUsed {
            phase = .free
            let reason = "the input line has half-typed text, and another draft is set aside already: look at the terminal"
            return tell(prompt.name, .refused, reason)
        }
        prompt.attempts += 1
        if !prompt.isGiven {
            prompt.isGiven = true
            tell(prompt.name, .given)
        }
        owesDraft = false
        hold()
        if box.isEmpty {
            type(prompt)
        } else {
            write(Key.stash)
            phase = .settingAside(prompt, until: holdDeadline(limits.asideWithin))
        }
    }

    private mutating func setAside(_ prompt: Prompt) {
        guard isIdle, let box, box.isEmpty, box.isStashUsed else { return }
        var prompt = prompt
        prompt.hasDraftAside = true
        type(prompt)
    }

    private mutating func type(_ prompt: Prompt) {
        write(prompt.text.keys)
        phase = .typing(prompt, until: holdDeadline(limits.shownWithin))
    }

    /// Presses Enter, once. No other function does.
    private mutating func enter(_ prompt: Prompt) {
        guard let box, prompt.text.isShown(in: box) else { return }
        guard isIdle else { return remove(prompt, "the agent began something else while it was typed") }
        guard bufferedUntil.map({ now < $0 }) == true else { return }
        write(Key.enter)
        phase = .entered(prompt, until: now + limits.takenWithin.milliseconds)
    }

    // MARK: Taking it away again

    mutating func remove(_ prompt: Prompt, _ why: String) {
        phase = .removing(prompt, why: why, wasSeen: false, next: now)
        deleteText()
    }

    /// Handles an empty line after removing. Text that is not drawn yet may still appear, so the line counts as empty only after
    /// some of our text was seen in it.
    private mutating func removed(_ prompt: Prompt, _ why: String, _ wasSeen: Bool) {
        guard wasSeen, doing != .waiting, box?.isEmpty == true else { return }
        giveBack(prompt, why)
    }

    private mutating func deleteText() {
        guard case .removing(let prompt, let why, let wasSeen, _) = phase else { return }
        // Text that is not ours must not be deleted.
        let isOurs = doing != .waiting && box.map { prompt.text.isBegun(in: $0) } == true
        if isOurs, let box {
            // Each key deletes a row, or the break before it; on an empty line it does nothing.
            let count = min(box.rows.count * 2, limits.keysAtOnceMax)
            write(Array(repeating: Key.deleteToStart, count: count).flatMap { $0 })
        }
        phase = .removing(prompt, why: why, wasSeen: wasSeen || isOurs, next: now + limits.removeEvery.milliseconds)
    }

    private mutating func giveBack(_ prompt: Prompt, _ why: String) {
        guard prompt.hasDraftAside, box?.isStashUsed == true else { return again(prompt, why) }
        write(Key.stash)
        phase = .givingBack(prompt, why: why, until: now + limits.asideWithin.milliseconds)
    }

    private mutating func gaveBack(_ prompt: Prompt, _ why: String) {
        guard let box, !box.isStashUsed else { return }
        again(prompt, why)
    }

    /// Tries again, because nothing of the prompt is at the terminal.
    mutating func again(_ prompt: Prompt, _ why: String) {
        release()
        var prompt = prompt
        prompt.hasDraftAside = false
        guard prompt.attempts < limits.attemptsMax else {
            phase = .free
            return tell(prompt.name, .refused, why)
        }
        phase = .waiting(prompt, until: now + limits.readyWithin.milliseconds / Int64(limits.attemptsMax))
    }

    // MARK: An interrupt

    mutating func interrupt(_ name: SteeringName) {
        guard !isIdle else { return tell(name, .refused, "nothing runs that could be interrupted") }
        switch doing {
        case .waiting: return tell(name, .refused, "the agent waits for an answer: deny what it asks instead")
        case nil: return tell(name, .refused, "the agent does not say what it does")
        case .idle, .busy, .unknown: break
        }
        order(.followTranscript)
        tell(name, .given)
        escape(name, 1)
    }

    private mutating func escape(_ name: SteeringName, _ escapes: Int) {
        hold()
        releaseAt = now + limits.escapeHold.milliseconds
        write(Key.escape)
        phase = .interrupting(name, escapes: escapes, until: now + limits.interruptWithin.milliseconds)
    }

    mutating func interruptWritten() {
        guard case .interrupting(let name, _, _) = phase else { return }
        tell(name, .taken)
        free()
    }

    private mutating func notInterrupted(_ name: SteeringName, _ escapes: Int) {
        switch doing {
        case .busy where escapes < limits.escapesMax && !isIdle: escape(name, escapes + 1)
        case .idle:
            // The turn may have ended by itself. Also, a prompt without any answer yet returns to the input line without a line in
            // the transcript.
            tell(
                name, .unknown,
                "Esc was pressed and nothing runs any more, but the agent has not written that it was interrupted")
            free()
        case .busy, .waiting, .unknown, nil:
            tell(name, .unknown, "Esc was pressed, and the agent has not shown that it was interrupted: look at the terminal")
            free()
        }
    }

    // MARK: A mode

    mutating func switchMode(to target: String, _ name: SteeringName) {
        guard Self.modes.contains(target), let mode else { return tell(name, .refused, "that mode is not offered") }
        guard isIdle, isQuiet, box?.mode == mode else {
            return tell(
                name, .refused, "its input line is not free: a mode is set only while nothing runs and nobody types there")
        }
        tell(name, .given)
        guard mode != target else { return tell(name, .taken, "it was in that mode already") }
        hold()
        write(Key.nextMode)
        phase = .switching(name, to: target, from: mode, steps: 1, until: now + limits.modeWithin.milliseconds)
    }

    private mutating func step(_ name: SteeringName, _ target: String, _ from: String, _ steps: Int) {
        guard let shown = box?.mode, shown != from else { return }
        if shown == target {
            tell(name, .taken)
            return free()
        }
        guard steps < limits.modeStepsMax, isIdle, bufferedUntil != nil else { return notSwitched(name) }
        write(Key.nextMode)
        phase = .switching(name, to: target, from: shown, steps: steps + 1, until: now + limits.modeWithin.milliseconds)
    }

    private mutating func notSwitched(_ name: SteeringName) {
        tell(name, .unknown, "it is now in the mode \(mode ?? "that its screen shows"): look at the terminal")
        free()
    }

    // MARK: Time

    mutating func timerFired() {
        if let at = releaseAt, at <= now { release() }
        if let (prompt, until) = unproven, until <= now {
            unproven = nil
            tell(prompt.name, .unknown, SubmissionLine.unshown)
        }
        expire()
        if let until = bufferedUntil, until <= now { release() }
    }

    private mutating func expire() {
        switch phase {
        case .waiting(let prompt, let until) where until <= now:
            phase = .free
            tell(prompt.name, .refused, reasonToWait)
        case .settingAside(let prompt, let until) where until <= now:
            free()
            owesDraft = true
            tell(prompt.name, .refused, "half-typed text in the input line could not be set aside: look at the terminal")
        case .typing(let prompt, let until) where until <= now:
            remove(prompt, "it did not show in the input line as it was typed")
        case .removing(let prompt, let why, _, let next) where next <= now:
            if bufferedUntil.map({ now < $0 }) == true { return deleteText() }
            tell(prompt.name, .unknown, "\(why); it may be in the input line\(aside(prompt)): look at the terminal")
            free()
        case .givingBack(let prompt, let why, let until) where until <= now:
            free()
            tell(prompt.name, .refused, "\(why); the half-typed text there is set aside: Ctrl-S brings it back")
        case .entered(let prompt, let until) where until <= now:
            let reason = "it was typed and Enter pressed, and the agent has not shown that it took it: look at the terminal"
            tell(prompt.name, .unknown, reason)
            free()
        case .settling(let until) where until <= now: free()
        case .interrupting(let name, let escapes, let until) where until <= now: notInterrupted(name, escapes)
        case .switching(let name, _, _, _, let until) where until <= now: notSwitched(name)
        case .stopping(let until) where until <= now:
            order(.kill)
            phase = .over
        default: break
        }
    }

    private func aside(_ prompt: Prompt) -> String {
        prompt.hasDraftAside ? ", and what was half typed there is set aside" : ""
    }

    private var reasonToWait: String {
        switch doing {
        case nil: "the agent does not say what it does"
        case .waiting: "a dialog is open at its terminal"
        case .busy where !isIdle, .unknown where box?.isInTurn == true: "the agent is working"
        case .idle, .busy, .unknown:
            !isQuiet ? "somebody types at its terminal" : "its input line is not on its screen: a view is open there"
        }
    }
}
