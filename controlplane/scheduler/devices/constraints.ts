/** What the devices of a claim must have in common, or may not (upstream's matchAttribute and distinctAttribute). */
import type { Device, DeviceAttribute, DeviceConstraint } from '../../../api/gen/types.ts';

export interface Named {
	/** As results name it: "request", "request/alternative". */
	readonly name: string;
	readonly request: string;
}

export interface Constraint {
	/** False, and the device not counted, where it would break the constraint. */
	add(wanted: Named, driver: string, device: Device): boolean;
	/** The last one that was added for the request goes. */
	remove(wanted: Named): void;
}

export function constraintOf({ matchAttribute, distinctAttribute, requests = [] }: DeviceConstraint): Constraint {
	const values: string[] = [];
	const concerns = ({ name, request }: Named): boolean => requests.length === 0 || requests.includes(request) || requests.includes(name);
	const fits = (value: string): boolean => {
		if (values.length === 0) return true;
		if (value === UNKNOWN) return false;
		return matchAttribute === undefined ? !values.includes(value) : value === values[0];
	};
	const attribute = matchAttribute ?? distinctAttribute ?? '';
	return {
		add(wanted, driver, device) {
			if (!concerns(wanted)) return true;
			const value = valueOf(driver, device, attribute);
			if (value === undefined || !fits(value)) return false;
			values.push(value);
			return true;
		},
		remove(wanted) {
			if (concerns(wanted)) values.pop();
		},
	};
}

/** Of a type that nobody compares. */
const UNKNOWN = '?';

/** Type and value. A name without a domain is of the driver's own. */
function valueOf(driver: string, { attributes = {} }: Device, name: string): string | undefined {
	const own = name.startsWith(`${driver}/`) ? attributes[name.slice(driver.length + 1)] : undefined;
	const found: DeviceAttribute | undefined = attributes[name] ?? own;
	if (found === undefined) return undefined;
	for (const type of ['string', 'int', 'bool', 'version'] as const) if (found[type] !== undefined) return `${type} ${found[type]}`;
	return UNKNOWN;
}
