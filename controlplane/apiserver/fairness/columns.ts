/** A table as Go's text/tabwriter sets it with these debugging pages' widths: cells end with a comma and are filled up with spaces, the last one is not. Pure. */

const MIN_WIDTH = 8;
const PADDING = 1;

/** All rows have the same number of cells. */
export function aligned(rows: readonly (readonly unknown[])[]): string {
	const cells = rows.map((row) => row.map((cell, i) => (i < row.length - 1 ? `${String(cell)},` : String(cell))));
	const widths = (cells[0] ?? []).map((_, i) => Math.max(MIN_WIDTH, ...cells.map((row) => [...(row[i] ?? '')].length + PADDING)));
	return cells
		.map(
			(row) => `${row.map((cell, i) => (i < row.length - 1 ? cell + ' '.repeat((widths[i] ?? 0) - [...cell].length) : cell)).join('')}\n`,
		)
		.join('');
}
