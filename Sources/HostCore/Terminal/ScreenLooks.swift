import RelayProtocol

/// Answers clients that look at a terminal: each look once, as soon as the screen is other than what its sender has.
///
/// Nothing is drawn while nobody looks, and a client that is slow to ask again gets what is on the screen then, not what was.
package struct ScreenLooks: Sendable {
    /// A connection, and the number of a question on it.
    package struct Asker: Hashable, Sendable {
        package let connection: Int
        package let question: Int64

        package init(connection: Int, question: Int64) {
            self.connection = connection
            self.question = question
        }
    }

    private struct Look: Sendable {
        let asker: Asker
        /// The drawing that its sender has, 0 for none.
        let after: Int64
        let until: Int64
    }

    /// Of this terminal alone: a number of another one's means nothing here.
    private let name: String
    private let limits: ScreenLimits
    private var looks: [Look] = []
    private var drawing = ScreenDrawing()
    /// Since the last drawing.
    private var hasChanged = true
    private var drawFrom: Int64 = 0
    /// When it was first seen that the program says so; nil: it does not.
    private var unfinishedSince: Int64?

    package init(name: String, limits: ScreenLimits = ScreenLimits()) {
        self.name = name
        self.limits = limits
    }

    /// `after` is the `of` of what its sender has. False if too many look already.
    package mutating func asked(_ asker: Asker, after: String?, at now: Int64) -> Bool {
        guard looks.count < limits.looksMax else { return false }
        looks.append(Look(asker: asker, after: number(after), until: now + limits.answerWithin))
        return true
    }

    private func number(_ name: String?) -> Int64 {
        guard let name, name.hasPrefix(self.name + "."), let number = Int64(name.dropFirst(self.name.count + 1)),
            (1...drawing.number).contains(number)
        else { return 0 }
        return number
    }

    package mutating func changed(at now: Int64) {
        guard !hasChanged else { return }
        hasChanged = true
        drawFrom = max(drawFrom, now + limits.settleFor)
    }

    package mutating func left(_ connection: Int) { looks.removeAll { $0.asker.connection == connection } }

    /// When `due` has something to do; nil while nobody looks.
    package var nextDeadline: Int64? {
        guard let until = looks.map(\.until).min() else { return nil }
        return hasChanged ? min(until, drawFrom) : until
    }

    /// The answers that can be given now, as the wire has them.
    package mutating func due(_ screen: TerminalScreen, at now: Int64) -> [(asker: Asker, answer: [UInt8])] {
        guard !looks.isEmpty else { return [] }
        draw(screen, at: now)
        let isDue: (Look) -> Bool = { [number = drawing.number] in $0.after < number || $0.until <= now }
        let answered = looks.filter(isDue)
        looks.removeAll(where: isDue)
        return answered.map { look in
            let base = look.after > 0 ? drawingName(look.after) : nil
            return (look.asker, drawing.json(as: drawingName(drawing.number), after: look.after, base: base))
        }
    }

    private func drawingName(_ number: Int64) -> String { "\(name).\(number)" }

    private mutating func draw(_ screen: TerminalScreen, at now: Int64) {
        guard hasChanged, now >= drawFrom else { return }
        unfinishedSince = screen.modes.isUnfinished ? unfinishedSince ?? now : nil
        if let unfinishedSince, now - unfinishedSince < limits.unfinishedFor {
            drawFrom = now + limits.settleFor
            return
        }
        drawing.draw(screen)
        hasChanged = false
        drawFrom = now + limits.drawEvery
    }
}
