/** Devices and shares of them, told apart by one text. */

interface Placed {
	readonly driver: string;
	readonly pool: string;
	readonly device: string;
	/** Which of those who share it. */
	readonly shareID?: string | undefined;
}

/** Names have no '#'. */
export function deviceKey({ driver, pool, device, shareID = '' }: Placed): string {
	const whole = `${driver}/${pool}/${device}`;
	return shareID === '' ? whole : `${whole}#${shareID}`;
}
