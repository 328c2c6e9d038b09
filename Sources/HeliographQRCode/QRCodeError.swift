/// The text does not fit into a QR code.
package struct QRCodeError: Error, Equatable, Sendable, CustomStringConvertible {
    package let bytes: Int

    package var description: String {
        bytes == 0
            ? "An empty text makes no QR code." : "A QR code holds \(QRCode.textBytesMax) bytes; this text has \(bytes)."
    }
}
