/// The directory that a spool has to itself: files by name, without folders.
package protocol SpoolDisk: AnyObject {
    /// Names of all files, in any order.
    func names() throws(SpoolError) -> [String]

    /// The whole file; throws if there is none.
    func contents(of name: String) throws(SpoolError) -> [UInt8]

    /// `count` bytes; fewer if the file ends.
    func read(_ name: String, at offset: Int, count: Int) throws(SpoolError) -> [UInt8]

    /// Replaces a file; it is on disk when this returns. Whatever happens, the file holds either what it held before (or does not
    /// exist) or `bytes`.
    func replace(_ name: String, with bytes: [UInt8]) throws(SpoolError)

    /// Appends all bytes to an existing file, so that they survive the end of this process. If it throws, an unknown part is
    /// written.
    func append(_ bytes: [UInt8], to name: String) throws(SpoolError)

    /// Once this returns, appended bytes survive a crash of the machine; if it throws, it is not known which do.
    func synchronize(_ name: String) throws(SpoolError)

    func truncate(_ name: String, to size: Int) throws(SpoolError)

    func remove(_ name: String) throws(SpoolError)
}
