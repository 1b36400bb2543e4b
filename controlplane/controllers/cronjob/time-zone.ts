/** How far the clocks of a time zone are ahead of UTC, by the runtime's own tables. */

const formats = new Map<string, Intl.DateTimeFormat>();

/** Where this process runs; upstream's time.Local. */
export function hostZone(): string {
	return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** False for a name that nobody knows. */
export function isTimeZone(zone: string): boolean {
	try {
		return formatOf(zone) !== undefined;
	} catch {
		return false;
	}
}

export function offsetMs(zone: string, at: number): number {
	if (zone === 'UTC') return 0;
	const parts = Object.fromEntries(
		formatOf(zone)
			.formatToParts(at)
			.map(({ type, value }) => [type, value]),
	);
	const of = (name: string): number => Number(parts[name]);
	const local = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
	return local - Math.floor(at / 1000) * 1000;
}

/** A time as RFC 3339 with the zone's offset. */
export function inZone(zone: string, at: number): string {
	const offset = offsetMs(zone, at);
	const local = new Date(at + offset).toISOString().slice(0, 19);
	if (offset === 0) return `${local}Z`;
	const minutes = Math.abs(offset) / 60_000;
	const two = (n: number): string => String(n).padStart(2, '0');
	return `${local}${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

function formatOf(zone: string): Intl.DateTimeFormat {
	let format = formats.get(zone);
	if (format === undefined) {
		format = new Intl.DateTimeFormat('en-US', {
			// The zone of who has not chosen any: that of UTC, which Intl has not.
			...{ timeZone: zone === 'Factory' ? 'UTC' : zone, hourCycle: 'h23' },
			...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
		});
		formats.set(zone, format);
	}
	return format;
}

/** "Thu, 01 Jan 2026 00:00:00 +0000" */
export function rfc1123(at: number): string {
	return new Date(at).toUTCString().replace('GMT', '+0000');
}
