import RelayProtocol

/// Answers clients that look at a terminal: each look once, as soon as the screen differs from the drawing that its sender has.
///
/// Nothing is drawn while nobody looks, and a client that is slow to ask again gets the current screen, not the missed ones.
package struct ScreenLooks: Sendable {
    /// The source of a look: a connection, and the number of the question on it.
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
        /// Number of the drawing that its sender has; 0 for none.
        let after: Int64
        let until: Int64
    }

    /// Name of this terminal's drawings: a number of another terminal means nothing here.
    private let name: String
    private let limits = ScreenLimits()
    private var looks: [Look] = []
    private var drawing = ScreenDrawing()
    /// True if the screen has changed since the last drawing.
    private var hasChanged = true
    private var drawFrom: Int64 = 0
    /// Time at which the program was first seen to report an unfinished drawing; nil if it does not.
    private var unfinishedSince: Int64?

    package init(name: String) { self.name = name }

    /// Adds a look. `after`: the `of` of the drawing that its sender has. Returns false if there are too many looks.
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

    /// Time at which `due` has something to do; nil while nobody looks.
    package var nextDeadline: Int64? {
        guard let until = looks.map(\.until).min() else { return nil }
        return hasChanged ? min(until, drawFrom) : until
    }

    /// The answers that can be given now, in their form on the wire.
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
