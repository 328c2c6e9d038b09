internal import CHeliographQREncode

/// A text as a QR code, for a phone to scan from a terminal or a page.
package struct QRCode: Sendable, Equatable {
    /// Rows from top to bottom, without the quiet zone; true is dark.
    package let rows: [[Bool]]

    /// Medium correction: a screen is clean, but it may be photographed at an angle.
    package init(text: String) throws(QRCodeError) {
        let bytes = Array(text.utf8)
        guard (1...Self.textBytesMax).contains(bytes.count) else { throw QRCodeError(bytes: bytes.count) }
        guard let code = unsafe QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_M) else {
            throw QRCodeError(bytes: bytes.count)
        }
        defer { unsafe QRcode_free(code) }
        let width = Int(unsafe code.pointee.width)
        rows = (0..<width).map { row in
            // The lowest bit is the colour; the others are the module's role.
            (0..<width).map { column in unsafe code.pointee.data[row * width + column] & 1 == 1 }
        }
    }

    /// Capacity of a code of version 40 with medium correction.
    package static let textBytesMax = 2_331

    /// One text for each row: `1` is dark, `0` is light.
    package var rowsText: [String] { rows.map { row in String(row.map { $0 ? "1" : "0" }) } }
}
