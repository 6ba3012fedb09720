"""Twenty queries over `lawful.datasets.flights()`, each with how many columns are enough to sort by."""

QUERIES: dict[str, int] = {
    "select * from flights order by year, month, day_of_month": 1,
    "select * from flights order by year, quarter, month, day_of_month": 1,
    "select * from flights order by year, quarter, month": 2,
    "select * from flights order by year desc, month desc, day_of_month desc": 1,
    "select * from flights order by flight_date, day_of_week, carrier": 2,
    "select * from flights order by flight_date, year desc, quarter desc": 1,
    "select * from flights order by year, month, day_of_month, carrier, flight_number, origin": 3,
    "select * from flights order by carrier, flight_number, origin, dest, distance": 2,
    "select * from flights order by origin_state, origin_fips": 1,
    "select * from flights order by origin_fips desc, origin_state desc, origin_city": 2,
    "select * from flights order by dest, dest_city, dest_state": 1,
    "select * from flights order by distance_group, distance": 1,
    "select * from flights order by arr_delay_group desc, arr_delay desc": 1,
    "select * from flights order by dep_delay_group, dep_delay, carrier": 2,
    "select * from flights order by crs_dep_time, dep_delay, dep_time": 2,
    "select * from flights where year = 2015 order by year, month, day_of_month desc, origin": 3,
    "select origin, origin_city, count(*) as n from flights group by origin, origin_city "
    "order by origin, origin_city, n desc": 1,
    "select year, quarter, month, avg(distance) as far from flights group by year, quarter, month "
    "order by year, quarter, month": 2,
    "select distinct dest_city, dest_state, dest_fips from flights "
    "order by dest_fips, dest_state, dest_city": 2,
    "select flight_date as day, origin_state as state, arr_delay from flights "
    "order by day, month, state, origin_fips, 3, arr_delay_group": 3,
}
