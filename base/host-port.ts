/** An address with its port; one of IPv6 stands in brackets (Go's net.JoinHostPort). Pure. */
export function hostPort(host: string, port: number | string): string {
	return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
