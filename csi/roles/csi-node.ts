/** What a CSINode says of one driver. Pure. */
import type { CSINode, CSINodeDriver } from '../../api/gen/types.ts';

export function driverOn(csiNode: CSINode | undefined, name: string): CSINodeDriver | undefined {
	// Go's API servers say null for none.
	return (csiNode?.spec.drivers as readonly CSINodeDriver[] | null | undefined)?.find((driver) => driver.name === name);
}
