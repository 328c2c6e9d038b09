/// Why a host does not allow a call as a person has edited it. The raw values are reasons of `approval.stale`.
package enum EditError: String, Error, CaseIterable {
    /// This call cannot be edited, nobody waits for it now, or its editor may not steer the host.
    case notOffered = "editNotOffered"
    /// The edit is no JSON object of texts that may change, or changes nothing.
    case malformed = "editMalformed"
    /// A rule of the owner denies the edited call, or the rules cannot be read.
    case ruled = "editRuled"
    /// The edited call has warnings that the request did not show.
    case risky = "editRisky"
}
