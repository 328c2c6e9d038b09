// QRCode
