/// The body of `POST /v1/tokens/ID/revoke`.
package struct RevocationCall: Equatable, Sendable {
    /// False: with all that it let in.
    package var keepsChildren: Bool

    package init(keepsChildren: Bool) { self.keepsChildren = keepsChildren }

    /// Nothing at all says what `{}` does.
    package init(parsing bytes: [UInt8]) throws(WireError) {
        keepsChildren = bytes.isEmpty ? false : try JSONDocument(parsing: bytes).root.object().flag("keepChildren")
    }

    package var bytes: [UInt8] { JSONWriter.object { $0.flag("keepChildren", keepsChildren) } }
}
