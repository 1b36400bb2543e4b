/** The label by which upstream's metric of pulls tells sizes apart. Pure. */

const MB = 2 ** 20;
const BOUNDS: readonly (readonly [bytes: number, name: string])[] = [
	...[[0, '0-10MB'] as const, [10 * MB, '10MB-100MB'] as const, [100 * MB, '100MB-500MB'] as const, [500 * MB, '500MB-1GB'] as const],
	...[[1024 * MB, '1GB-5GB'] as const, [5 * 1024 * MB, '5GB-10GB'] as const, [10 * 1024 * MB, '10GB-20GB'] as const],
	...[[20 * 1024 * MB, '20GB-30GB'] as const, [30 * 1024 * MB, '30GB-40GB'] as const, [40 * 1024 * MB, '40GB-60GB'] as const],
	...[[60 * 1024 * MB, '60GB-100GB'] as const, [100 * 1024 * MB, 'GT100GB'] as const],
];

export function sizeBucket(bytes: number): string {
	if (bytes <= 0) return 'N/A';
	return BOUNDS.findLast(([from]) => bytes > from)?.[1] ?? 'N/A';
}
