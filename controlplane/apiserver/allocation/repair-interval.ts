/** Upstream's interval of both loops (RepairServicesInterval): here, how long something may stay wrong before it is told of again. */
export const REPAIR_INTERVAL_MS = 180_000;
