/// The body of `POST /v1/tokens/ID/revoke`.
package struct RevocationCall: Equatable, Sendable {
    /// False: also revokes all tokens that were paired through this one.
    package var keepsChildren: Bool

    package init(keepsChildren: Bool) { self.keepsChildren = keepsChildren }

    /// An empty body means the same as `{}`.
    package init(parsing bytes: [UInt8]) throws(WireError) {
        keepsChildren = bytes.isEmpty ? false : try JSONDocument(parsing: bytes).root.object().flag("keepChildren")
    }

    package var bytes: [UInt8] { JSONWriter.object { $0.flag("keepChildren", keepsChildren) } }
}
