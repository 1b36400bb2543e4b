/** Durations as Go prints them, to the millisecond: "850ms", "1.204s", "1m2.5s". Pure. */
export function goDuration(ms: number): string {
	const rounded = Math.round(ms);
	if (rounded < 1000) return `${rounded}ms`;
	const minutes = Math.floor(rounded / 60_000);
	const seconds = `${(rounded % 60_000) / 1000}s`;
	return minutes === 0 ? seconds : `${minutes}m${seconds}`;
}
