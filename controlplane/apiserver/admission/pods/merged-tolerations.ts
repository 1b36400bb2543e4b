/** Which tolerations others make needless. Pure. */
import type { Toleration } from '../../../../api/gen/types.ts';

/** Without those that another one covers; of equal ones the first stays. */
export function merged(all: readonly Toleration[]): Toleration[] {
	const kept: Toleration[] = [];
	for (const [i, one] of all.entries()) {
		const isCovered =
			kept.some((other) => covers(other, one)) || all.slice(i + 1).some((other) => !isSame(one, other) && covers(other, one));
		if (!isCovered) kept.push(one);
	}
	return kept;
}

function isSame(a: Toleration, b: Toleration): boolean {
	const fields = ({ key = '', operator = '', value = '', effect = '', tolerationSeconds }: Toleration): string =>
		JSON.stringify([key, operator, value, effect, tolerationSeconds ?? null]);
	return fields(a) === fields(b);
}

/** True when `wide` tolerates all that `one` does; an `Equal` that is not spelled out is covered by its like only (pkg/util/tolerations). */
export function covers(wide: Toleration, one: Toleration): boolean {
	if (isSame(wide, one)) return true;
	const { key = '', operator = '', value = '', effect = '', tolerationSeconds: seconds } = wide;
	if ((one.key ?? '') !== key && (key !== '' || operator !== 'Exists')) return false;
	if ((one.effect ?? '') !== effect && effect !== '') return false;
	if (effect === 'NoExecute' && seconds !== undefined && (one.tolerationSeconds === undefined || one.tolerationSeconds > seconds))
		return false;
	if (operator === 'Exists') return true;
	return (operator === 'Equal' || operator === '') && one.operator === 'Equal' && (one.value ?? '') === value;
}
