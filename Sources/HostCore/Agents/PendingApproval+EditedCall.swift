internal import RelayProtocol

extension PendingApproval {
    /// The call as a person has edited it.
    ///
    /// - Throws: if it has warnings that the request did not show, or writes another file: where its links lead is not known.
    package func editedCall(by edit: String, paths: ShownPaths) throws(EditError) -> UnaskedCall {
        let changed = try edited(by: edit).bytes
        let asked = try? JSONDocument(parsing: input).root
        let call = try? JSONDocument(parsing: changed).root
        let shown = RequestRisks.of(asked, of: tool, paths: paths)
        let risks = RequestRisks.of(call, of: tool, paths: paths)
        // A full list may have had more.
        guard risks.count < WireLimits.risksMax, risks.allSatisfy(shown.contains),
            call.map({ RequestRisks.written(in: $0, of: tool) }) == asked.map({ RequestRisks.written(in: $0, of: tool) })
        else { throw .risky }
        return UnaskedCall(session: session, tool: tool, input: changed)
    }
}
