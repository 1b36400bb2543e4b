/** Any text as a part of a header's name: whatever may not stand there is percent-encoded (client-go transport.headerKeyEscape). Pure. */
export function headerKey(text: string): string {
	return [...Buffer.from(text)]
		.map((byte) => {
			const c = String.fromCharCode(byte);
			return /[A-Za-z0-9!#$&'*+\-.^_`|~]/.test(c) ? c : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
		})
		.join('');
}
