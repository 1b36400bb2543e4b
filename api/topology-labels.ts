/** Labels that say where a node is (upstream core/v1 well_known_labels). */
export const ZONE_LABEL = 'topology.kubernetes.io/zone';
export const REGION_LABEL = 'topology.kubernetes.io/region';
