internal import HostCore
internal import RelayProtocol

/// `POST /v1/agent/steering`, `steering/next` and `steered`: steering of a program's session.
package struct LocalSteering: Sendable {
    let session: String
    let word: SteeredWord
    let run: ProgramRun?

    /// Nil if the request is not about steering.
    package init?(_ path: String, _ body: [UInt8]) throws(LocalError) {
        let read = try LocalError.reading { () throws(WireError) in try SteeredWord.read(path, body) }
        guard let (session, word, run) = read else { return nil }
        (self.session, self.word, self.run) = (session, word, run)
    }
}
